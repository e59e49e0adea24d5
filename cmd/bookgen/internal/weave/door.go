package weave

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"strings"

	"reconcile/internal/source"
)

// door lists the exports of a package, a line each, in the order of go doc:
// constants and variables, functions, and each type with the functions that go
// doc lists below it.
type door []knob

// knob is one line of a door: a declaration, or the exported names of a group.
type knob struct {
	decl  *source.Decl
	names []string // of a group; nil for others
	below bool     // it belongs to the type above
}

// longDoor is the number of lines from which on a door is folded.
const longDoor = 12

func (d door) long() bool { return len(d) >= longDoor }

// doorOf asks go/doc for the exports of a package.
func doorOf(p *Program) (door, error) {
	var files []*ast.File
	for _, file := range p.Files {
		if !file.Test {
			files = append(files, file.Syntax)
		}
	}
	all, err := doc.NewFromFiles(p.Fset, files, p.info.Path, doc.AllDecls|doc.PreserveAST)
	if err != nil {
		return nil, err
	}
	d := p.knobs(false, append(all.Consts, all.Vars...), all.Funcs)
	for _, t := range all.Types { // declarations that go doc lists below an unexported type
		if !token.IsExported(t.Name) {
			d = append(d, p.knobs(false, append(t.Consts, t.Vars...), t.Funcs)...)
		}
	}
	for _, t := range all.Types {
		if token.IsExported(t.Name) {
			d = append(d, p.knob(t.Decl.Specs[0].Pos(), []string{t.Name}, false))
			d = append(d, p.knobs(true, append(t.Consts, t.Vars...), append(t.Funcs, t.Methods...))...)
		}
	}
	return d, nil
}

// knobs returns the knobs of the values and functions that are exported.
func (p *Program) knobs(below bool, values []*doc.Value, functions []*doc.Func) door {
	var d door
	for _, v := range values {
		var exported []string
		for _, name := range v.Names {
			if token.IsExported(name) {
				exported = append(exported, name)
			}
		}
		if len(exported) > 0 {
			d = append(d, p.knob(v.Decl.Pos(), exported, below))
		}
	}
	for _, f := range functions {
		if token.IsExported(f.Name) {
			d = append(d, p.knob(f.Decl.Pos(), nil, below))
		}
	}
	return d
}

// knob returns the knob of the declaration at a position. Only that of a group
// keeps names.
func (p *Program) knob(pos token.Pos, names []string, below bool) knob {
	at := p.Fset.Position(pos)
	for _, file := range p.Files {
		if file.Path != at.Filename {
			continue
		}
		decl := file.Enclosing(at.Line, at.Line)
		if group, ok := decl.Node.(*ast.GenDecl); !ok || !group.Lparen.IsValid() {
			names = nil
		}
		return knob{decl, names, below}
	}
	panic("go/doc has a declaration of another package")
}

func (d door) html(p *page, c *Chapter) string {
	var lines []string
	for _, k := range d {
		indent := ""
		if k.below {
			indent = "    "
		}
		lines = append(lines, indent+k.html(p, c))
	}
	code := "<pre tabindex=0><code>" + strings.Join(lines, "\n") + "</code></pre>"
	switch {
	case len(d) == 0:
		return ""
	case d.long():
		return fmt.Sprintf("<details><summary>Its door <span>%s</span></summary>%s</details>", counted(len(d), "declaration"), code)
	}
	return code
}

func (k knob) html(p *page, c *Chapter) string {
	file := k.decl.File
	if len(k.names) > 0 {
		links := &pageLinks{page: p, chapter: c, file: file}
		var names []string
		for _, name := range k.names {
			_, href := links.Define(name)
			names = append(names, fmt.Sprintf("<a class=d href=%s>%s</a>", href, name))
		}
		return fmt.Sprintf("<b>%s</b> %s", k.decl.Kind, strings.Join(names, ", "))
	}
	runs := signature(k.decl)
	if k.decl.Kind == source.Const || k.decl.Kind == source.Var {
		first, _, more := strings.Cut(string(file.Content[runs[0].start:runs[0].end]), "\n")
		runs[0].end = runs[0].start + len(first)
		if more {
			runs = append(runs, run{gap: " …", inline: true})
		}
	}
	return p.runs(c, file, runs)
}
