package weave

import (
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/internal/source"
)

// Program is a chapter's code, and what the names in it mean. It depends on no
// text, and is never changed.
type Program struct {
	*source.Package
	info   *highlight.Info
	codes  map[string]*highlight.Code // by file name
	places map[object]place           // of all definitions
}

// object is a package-level name, a field or a method.
type object struct{ pkg, name string }

// place is where an object is defined.
type place struct {
	file *source.File
	line int
}

// NewProgram finds the definitions. info says what the code's identifiers mean.
// What is in functions is printed and never asked for, and so the code's syntax
// need not keep it.
func NewProgram(code *source.Package, info *highlight.Info) *Program {
	for _, file := range code.Files {
		for _, decl := range file.Decls {
			if decl.Body != nil {
				decl.Body.List = nil
			}
		}
	}
	p := &Program{Package: code, info: info, codes: map[string]*highlight.Code{}, places: map[object]place{}}
	for _, file := range code.Files {
		refs := info.Refs[file.Name]
		p.codes[file.Name] = highlight.NewCode(file.Content, refs)
		for _, ref := range refs {
			if ref.Def != "" {
				p.places[object{p.importPath(file), ref.Def}] = place{file, file.Line(ref.Offset)}
			}
		}
	}
	return p
}

// importPath is the path of the package that a file belongs to: the chapter's,
// or that of its external tests.
func (p *Program) importPath(file *source.File) string {
	if strings.HasSuffix(file.Syntax.Name.Name, "_test") {
		return p.info.Path + "_test"
	}
	return p.info.Path
}
