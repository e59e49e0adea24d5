// Package source reads a chapter's Go files as data: their declarations, from
// which byte to which, the regions that an author marked inside them, and which
// of them are exercises. It parses and never type-checks, so it is fast enough
// to run on every key press.
//
// In reading order: source.go (a package), folder.go (the list of them),
// file.go (one file), decl.go (its declarations), region.go (marked parts),
// directive.go (the //book: lines), frontmatter.go and plain.go (text files),
// problem.go (errors that name a file and a line), nearest.go (the name that was
// meant).
package source

import (
	"fmt"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Package is one folder of Go files: the package, its tests, and the tests in
// its external test package.
type Package struct {
	Dir   string // as given to Load
	Name  string // of the package itself, without _test
	Fset  *token.FileSet
	Files []*File // sorted by name
}

// Load parses every Go file of a folder, which errors call dir; all problems of
// all files are reported together, each as `file:line: …`.
func Load(folder fs.FS, dir string) (*Package, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	pkg := &Package{Dir: dir, Fset: token.NewFileSet()}
	var errs []error
	for _, entry := range entries {
		if entry.IsDir() || !isGoFile(entry.Name()) {
			continue
		}
		content, err := fs.ReadFile(folder, entry.Name())
		if err != nil {
			return nil, err
		}
		file, err := parse(pkg.Fset, filepath.Join(dir, entry.Name()), content)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pkg.Files = append(pkg.Files, file)
	}
	pkg.Name = pkg.packageName()
	if err := Join(errs...); err != nil {
		return nil, err
	}
	return pkg, nil
}

func isGoFile(name string) bool {
	return strings.HasSuffix(name, ".go") &&
		!strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

func (p *Package) packageName() string {
	for _, file := range p.Files {
		if !file.Test {
			return file.Syntax.Name.Name
		}
	}
	if len(p.Files) > 0 {
		return strings.TrimSuffix(p.Files[0].Syntax.Name.Name, "_test")
	}
	return ""
}

// File returns the file of that name, or nil.
func (p *Package) File(name string) *File {
	for _, file := range p.Files {
		if file.Name == name {
			return file
		}
	}
	return nil
}

// Lookup finds a declaration by its name in a file ("Queue", "NewQueue",
// "Queue.Add"). The error names declarations that exist instead.
func (p *Package) Lookup(file, name string) (*Decl, error) {
	f := p.File(file)
	if f == nil {
		return nil, fmt.Errorf("there is no file %s in %s", file, p.Dir)
	}
	found := f.lookup(name)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%s declares %s %d times: mark a region instead", file, name, len(found))
	}
	return nil, fmt.Errorf("%s does not declare %s%s", file, name, p.hint(f, name))
}

// hint names the file that has a name, if it was looked for in the wrong one,
// or else the name of the file that resembles it most.
func (p *Package) hint(f *File, name string) string {
	for _, other := range p.Files {
		if len(other.lookup(name)) > 0 {
			return "; " + other.Name + " does"
		}
	}
	if near := nearest(name, f.names()); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Exercise returns the functions to write for an exercise, and the tests that
// judge them, in order of file and line.
func (p *Package) Exercise(number string) (functions, tests []*Decl) {
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			switch {
			case decl.Exercise != number:
			case file.Test:
				tests = append(tests, decl)
			default:
				functions = append(functions, decl)
			}
		}
	}
	return functions, tests
}

// Exercises returns every number that a declaration is marked with, sorted.
func (p *Package) Exercises() []string {
	var numbers []string
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			if decl.Exercise != "" {
				numbers = append(numbers, decl.Exercise)
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
