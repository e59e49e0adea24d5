package weave

import (
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/internal/source"
)

// Program is one package of a chapter, with the meaning of its names. It
// depends on no text, and is never changed.
type Program struct {
	*source.Package
	Folder string // below the chapter's; "" of the chapter's root
	info   *highlight.Info
	codes  map[string]*highlight.Code // by file name
	places map[object]place           // of all definitions
}

// object is a package-level name, a field or a method.
type object struct{ pkg, name string }

// place says which line of which file defines an object.
type place struct {
	file *source.File
	line int
}

// NewProgram finds the definitions. folder is as source.Folders names it; info
// has the meaning of the code's identifiers. Function bodies are printed, but
// no caller asks for them, and so the code's syntax need not keep them.
func NewProgram(folder string, code *source.Package, info *highlight.Info) *Program {
	for _, file := range code.Files {
		for _, decl := range file.Decls {
			if decl.Body != nil {
				decl.Body.List = nil
			}
		}
	}
	p := &Program{
		Package: code, Folder: strings.TrimPrefix(folder, "."), info: info,
		codes: map[string]*highlight.Code{}, places: map[object]place{},
	}
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

// importPath returns the path of the package that a file belongs to: this one,
// or that of its external tests.
func (p *Program) importPath(file *source.File) string {
	if strings.HasSuffix(file.Syntax.Name.Name, "_test") {
		return p.info.Path + "_test"
	}
	return p.info.Path
}

// find finds a declaration by its name in a file.
func (p *Program) find(file *source.File, name string) (*source.Decl, error) {
	decl, err := p.Lookup(file.Name, name)
	if err != nil && p.Folder != "" {
		err = fmt.Errorf("%s/%w", p.Folder, err) // it begins with the file's name
	}
	return decl, err
}

// qualified returns a name as other packages write it; a name of the chapter's
// root stays as it is.
func (p *Program) qualified(name string) string {
	switch {
	case p.Folder == "":
		return name
	case p.Name == "main":
		return path.Base(p.Folder) + "." + name
	}
	return p.Name + "." + name
}

// front returns the file that a link to the package leads to: the one with its
// doc comment, or else its first.
func (p *Program) front() *source.File {
	for _, file := range p.Files {
		if !file.Test && file.Syntax.Doc != nil {
			return file
		}
	}
	return p.Files[0]
}

// name returns the path of a file from the chapter's folder.
func (c *Chapter) name(file *source.File) string { return file.Below(c.Dir) }

// program returns the package in a folder below the chapter's, or nil.
func (c *Chapter) program(folder string) *Program {
	for _, p := range c.Code {
		if p.Folder == folder {
			return p
		}
	}
	return nil
}

// programOf returns the package that a file is in.
func (c *Chapter) programOf(file *source.File) *Program {
	dir := filepath.Dir(file.Path)
	for _, p := range c.Code {
		if p.Dir == dir {
			return p
		}
	}
	return nil
}

// file returns the Go file at a path below the chapter's folder, or nil.
func (c *Chapter) file(name string) *source.File {
	folder, base := path.Split(name)
	if p := c.program(strings.TrimSuffix(folder, "/")); p != nil {
		return p.File(base)
	}
	return nil
}

// files iterates over all Go files of the chapter, package by package.
func (c *Chapter) files() iter.Seq2[*Program, *source.File] {
	return func(yield func(*Program, *source.File) bool) {
		for _, p := range c.Code {
			for _, file := range p.Files {
				if !yield(p, file) {
					return
				}
			}
		}
	}
}
