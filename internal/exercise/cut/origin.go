package cut

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Origins finds the declaration of a type that a result names, in the folder of
// the package or in a package that it imports. It reads source text, each
// package once and only when asked. It is not safe for concurrent use.
type Origins struct {
	dir      string
	packages map[string]*pkg // by folder
}

// NewOrigins returns the origins of the types of the package in dir.
func NewOrigins(dir string) *Origins {
	return &Origins{dir: dir, packages: make(map[string]*pkg)}
}

// A pkg holds the types that a package declares, each with the file it is in.
type pkg struct {
	dir   string
	types map[string]*typeDecl
}

type typeDecl struct {
	expr       ast.Expr
	parameters map[string]bool
	file       *ast.File
}

// A scope is where a type's name is looked up: a file of a package.
type scope struct {
	origins *Origins
	pkg     *pkg
	file    *ast.File
}

// here returns the scope of a file of the package itself, whose own text counts
// before the one on disk.
func (o *Origins) here(file *ast.File) scope {
	if o == nil {
		o = NewOrigins("")
	}
	own := &pkg{dir: o.dir, types: make(map[string]*typeDecl)}
	if o.dir != "" {
		for name, decl := range o.load(o.dir).types {
			own.types[name] = decl
		}
	}
	own.add(file)
	return scope{o, own, file}
}

// load reads the package in a folder. Files that do not parse count for
// nothing: the compiler will say so better.
func (o *Origins) load(dir string) *pkg {
	if known := o.packages[dir]; known != nil {
		return known
	}
	loaded := &pkg{dir: dir, types: make(map[string]*typeDecl)}
	o.packages[dir] = loaded
	names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // fails on a bad pattern only
	for _, name := range names {
		if match, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !match {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err == nil && !strings.HasSuffix(name, "_test.go") {
			loaded.add(file)
		}
	}
	return loaded
}

func (p *pkg) add(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			parameters := make(map[string]bool)
			if spec.TypeParams != nil {
				for _, field := range spec.TypeParams.List {
					for _, name := range field.Names {
						parameters[name.Name] = true
					}
				}
			}
			p.types[spec.Name.Name] = &typeDecl{spec.Type, parameters, file}
		}
	}
}

// shapeOf looks a type up by its name.
func (s scope) shapeOf(name string, seen []string) shape {
	if s.pkg == nil {
		return opaque
	}
	decl := s.pkg.types[name]
	if decl == nil {
		return predeclared[name]
	}
	key := s.pkg.dir + "." + name
	if slices.Contains(seen, key) {
		return opaque
	}
	there := scope{s.origins, s.pkg, decl.file}
	return shapeOf(decl.expr, decl.parameters, there, append(seen, key))
}

// imported returns the scope of a package that the file imports by that name;
// an empty one when it cannot be found.
func (s scope) imported(name string) scope {
	if s.file == nil {
		return scope{}
	}
	for _, spec := range s.file.Imports {
		if importName(spec) != name {
			continue
		}
		found, err := build.Default.Import(importPath(spec), s.pkg.dir, build.FindOnly)
		if err != nil {
			return scope{}
		}
		return scope{s.origins, s.origins.load(found.Dir), nil}
	}
	return scope{}
}
