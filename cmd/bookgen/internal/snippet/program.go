package snippet

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
	Info   *highlight.Info
	Codes  map[string]*highlight.Code // by file name
	Places map[Object]Place           // of all definitions
}

// Object is a package-level name, a field or a method.
type Object struct{ Pkg, Name string }

// Place says which line of which file defines an object.
type Place struct {
	File *source.File
	Line int
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
		Package: code, Folder: strings.TrimPrefix(folder, "."), Info: info,
		Codes: map[string]*highlight.Code{}, Places: map[Object]Place{},
	}
	for _, file := range code.Files {
		refs := info.Refs[file.Name]
		p.Codes[file.Name] = highlight.NewCode(file.Content, refs)
		for _, ref := range refs {
			if ref.Def != "" {
				p.Places[Object{p.ImportPath(file), ref.Def}] = Place{file, file.Line(ref.Offset)}
			}
		}
	}
	return p
}

// ImportPath returns the path of the package that a file belongs to: this one,
// or that of its external tests.
func (p *Program) ImportPath(file *source.File) string {
	if strings.HasSuffix(file.Syntax.Name.Name, "_test") {
		return p.Info.Path + "_test"
	}
	return p.Info.Path
}

// find finds a declaration by its name in a file.
func (p *Program) find(file *source.File, name string) (*source.Decl, error) {
	decl, err := p.Lookup(file.Name, name)
	if err != nil && p.Folder != "" {
		err = fmt.Errorf("%s/%w", p.Folder, err) // it begins with the file's name
	}
	return decl, err
}

// Qualified returns a name as other packages write it; a name of the chapter's
// root stays as it is.
func (p *Program) Qualified(name string) string {
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

// Name returns the path of a file from the chapter's folder.
func (c *Chapter) Name(file *source.File) string { return file.Below(c.Dir) }

// Program returns the package in a folder below the chapter's, or nil.
func (c *Chapter) Program(folder string) *Program {
	for _, p := range c.Code {
		if p.Folder == folder {
			return p
		}
	}
	return nil
}

// ProgramOf returns the package that a file is in.
func (c *Chapter) ProgramOf(file *source.File) *Program {
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
	if p := c.Program(strings.TrimSuffix(folder, "/")); p != nil {
		return p.File(base)
	}
	return nil
}

// Files iterates over all Go files of the chapter, package by package.
func (c *Chapter) Files() iter.Seq2[*Program, *source.File] {
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
