package weave

import (
	"cmp"
	"go/ast"
	"go/doc"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// symbols returns the index of every package-level declaration and method of
// the chapters' code, tests excepted, with the places that use it. A name of a
// package below a chapter's root is qualified: sql.Parse.
func (v *volume) symbols() []*site.Symbol {
	uses := v.uses()
	var all []*site.Symbol
	for _, c := range v.inOrder() {
		for p, file := range c.Files() {
			if file.Test {
				continue
			}
			for _, decl := range file.Decls {
				for _, name := range decl.Names {
					if name != "_" && name != "init" && isIts(p, decl, name) {
						symbol := c.symbol(p, decl, name)
						symbol.Uses = uses[snippet.Object{Pkg: p.Info.Path, Name: name}]
						all = append(all, symbol)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *site.Symbol) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Chapter, b.Chapter))
	})
	return all
}

// isIts reports whether a name is this declaration's. A name that is declared
// once for each system belongs to the declaration for the system that the book
// is made on.
func isIts(p *snippet.Program, decl *source.Decl, name string) bool {
	at, ok := p.Places[snippet.Object{Pkg: p.Info.Path, Name: name}]
	return !ok || at.File == decl.File
}

func (v *volume) inOrder() []*Chapter {
	var chapters []*Chapter
	for _, c := range v.book.Chapters {
		if chapter := v.chapters[c.Slug]; chapter != nil {
			chapters = append(chapters, chapter)
		}
	}
	return chapters
}

func (c *Chapter) symbol(p *snippet.Program, decl *source.Decl, name string) *site.Symbol {
	line := p.Places[snippet.Object{Pkg: p.Info.Path, Name: name}].Line
	if line == 0 { // it is declared for another system alone
		line = decl.File.Line(decl.File.Offset(decl.Node.Pos()))
	}
	s := &site.Symbol{
		Name: p.Qualified(name), Kind: string(decl.Kind), Chapter: c.Slug, File: c.Name(decl.File),
		Line: line, Signature: snippet.OneLine(decl), Synopsis: synopsis(decl.Doc),
		Href: c.ShownAt(decl.File, line, name), Statement: c.statementOf(decl),
	}
	if spec, comment := specOf(decl, name); spec != nil {
		s.Signature = string(decl.Kind) + " " + c.text(decl.File, spec)
		if comment != "" {
			s.Synopsis = synopsis(comment)
		}
	}
	return s
}

// synopsis returns the first sentence of a comment, for print.
func synopsis(comment string) string {
	return book.Typographic(new(doc.Package).Synopsis(comment))
}

// specOf finds a name in a group, and its own comment.
func specOf(decl *source.Decl, name string) (ast.Node, string) {
	group, ok := decl.Node.(*ast.GenDecl)
	if !ok || !group.Lparen.IsValid() {
		return nil, ""
	}
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name }) {
				return spec, cmp.Or(spec.Doc.Text(), spec.Comment.Text())
			}
		case *ast.TypeSpec:
			if spec.Name.Name == name {
				return spec, cmp.Or(spec.Doc.Text(), spec.Comment.Text())
			}
		}
	}
	return nil, ""
}

// text returns code on one line.
func (c *Chapter) text(file *source.File, n ast.Node) string {
	code := file.Content[file.Offset(n.Pos()):file.Offset(n.End())]
	return strings.Join(strings.Fields(string(code)), " ")
}

// statementOf returns the address, from the site's root, of the exercise to
// write a declaration; "" if there is none.
func (c *Chapter) statementOf(decl *source.Decl) string {
	if decl.Exercise == "" {
		return ""
	}
	return c.CardAddress(decl.Exercise)
}

// uses finds for every object of the chapters the declarations that use it,
// each once, in the order of chapters and files.
func (v *volume) uses() map[snippet.Object][]site.Use {
	type pair struct {
		object snippet.Object
		user   *source.Decl
	}
	seen := map[pair]bool{}
	uses := map[snippet.Object][]site.Use{}
	for _, c := range v.inOrder() {
		for p, file := range c.Files() {
			for _, ref := range p.Info.Refs[file.Name] {
				used := snippet.Object{Pkg: ref.Pkg, Name: ref.Name}
				line := file.Line(ref.Offset)
				user := file.Enclosing(line, line)
				if !v.links.Has(ref.Pkg) || user == nil || user.Name == "_" || user.Name == ref.Name || seen[pair{used, user}] {
					continue
				}
				seen[pair{used, user}] = true
				uses[used] = append(uses[used], c.use(user))
			}
		}
	}
	return uses
}

func (c *Chapter) use(user *source.Decl) site.Use {
	line := user.File.Line(user.File.Offset(user.Node.Pos()))
	p := c.ProgramOf(user.File)
	if at, ok := p.Places[snippet.Object{Pkg: p.ImportPath(user.File), Name: user.Name}]; ok {
		line = at.Line
	}
	label := user.Name
	if !user.File.Test {
		label = p.Qualified(label)
	}
	return site.Use{Href: c.ShownAt(user.File, line, user.Name), Label: label}
}
