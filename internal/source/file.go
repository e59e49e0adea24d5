package source

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// File is one parsed file.
type File struct {
	Name    string // base name
	Path    string // as errors print it
	Content []byte
	Syntax  *ast.File
	Test    bool
	Decls   []*Decl   // in file order, imports excluded
	Regions []*Region // in file order

	tok        *token.File
	lines      int
	directives []directive
}

// parse reads one file. Errors begin with path.
func parse(fset *token.FileSet, path string, content []byte) (*File, error) {
	syntax, err := parser.ParseFile(fset, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, syntaxErrors(path, err)
	}
	file := &File{
		Name: filepath.Base(path), Path: path, Content: content, Syntax: syntax,
		Test:  strings.HasSuffix(path, "_test.go"),
		tok:   fset.File(syntax.FileStart),
		lines: countLines(content),
	}
	errs := []error{file.findDirectives()}
	file.findDecls()
	errs = append(errs, file.findExercises(), file.findRegions())
	if err := Join(errs...); err != nil {
		return nil, err
	}
	return file, nil
}

func syntaxErrors(path string, err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return At(path, 1, "%v", err)
	}
	var errs []error
	for _, e := range list {
		errs = append(errs, At(path, e.Pos.Line, "%s", e.Msg))
	}
	return Join(errs...)
}

// Line returns the number of the line that holds the byte at offset.
func (f *File) Line(offset int) int {
	return f.tok.Line(f.tok.Pos(offset))
}

// Offset returns the offset of a position in the file.
func (f *File) Offset(pos token.Pos) int {
	return f.tok.Offset(pos)
}

// Lines returns how many lines the file has.
func (f *File) Lines() int { return f.lines }

func countLines(content []byte) int {
	lines := bytes.Count(content, []byte("\n"))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	return lines
}

// LineStart returns the offset of a line's first byte; the line after the last
// starts at the end of the file.
func (f *File) LineStart(line int) int {
	if line > f.tok.LineCount() {
		return len(f.Content)
	}
	return f.tok.Offset(f.tok.LineStart(line))
}

// Text returns one line without its newline.
func (f *File) Text(line int) string {
	return strings.TrimRight(string(f.Content[f.LineStart(line):f.LineStart(line+1)]), "\r\n")
}

// Owes reports whether a page must show a line: it is neither blank nor a
// directive.
func (f *File) Owes(line int) bool {
	return strings.TrimSpace(f.Text(line)) != "" && !f.IsDirective(line)
}

// Head returns the lines that belong to no declaration: the package clause,
// its doc comment, imports, and comments that stand by themselves. Those in a
// region belong to that.
func (f *File) Head() []int {
	var lines []int
	for line := 1; line <= f.Lines(); line++ {
		if f.Owes(line) && f.declAt(line) == nil && f.regionAt(line) == nil {
			lines = append(lines, line)
		}
	}
	return lines
}

// Enclosing returns the declaration that holds all lines from first to last,
// or nil.
func (f *File) Enclosing(first, last int) *Decl {
	if decl := f.declAt(first); decl != nil && last <= decl.EndLine {
		return decl
	}
	return nil
}

func (f *File) declAt(line int) *Decl {
	i := slices.IndexFunc(f.Decls, func(d *Decl) bool {
		return d.Line <= line && line <= d.EndLine
	})
	if i < 0 {
		return nil
	}
	return f.Decls[i]
}

func (f *File) regionAt(line int) *Region {
	for _, region := range f.Regions {
		if region.Line <= line && line <= region.EndLine {
			return region
		}
	}
	return nil
}

func (f *File) lookup(name string) []*Decl {
	var found []*Decl
	for _, decl := range f.Decls {
		if slices.Contains(decl.Names, name) {
			found = append(found, decl)
		}
	}
	return found
}

func (f *File) names() []string {
	var names []string
	for _, decl := range f.Decls {
		names = append(names, decl.Names...)
	}
	for _, region := range f.Regions {
		names = append(names, region.Name)
	}
	return names
}

// Region returns the marked part of that name, or nil.
func (f *File) Region(name string) *Region {
	for _, region := range f.Regions {
		if region.Name == name {
			return region
		}
	}
	return nil
}
