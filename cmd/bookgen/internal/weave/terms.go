package weave

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// terms returns words that readers search for and the book calls otherwise: a
// list of links, each with the other names of its words. Every link leads to a
// heading or a declaration, and no name is said twice. What a term means is the
// first sentence of that.
func (v *volume) terms() ([]site.SearchEntry, error) {
	doc := v.book.Terms
	if doc == nil {
		return nil, nil
	}
	p := &page{volume: v}
	var entries []site.SearchEntry
	said := map[string]bool{}
	for _, ref := range doc.References() {
		if v.unread(ref.Path) {
			continue // the reason was reported
		}
		href, err := p.href(doc, ref)
		if err == nil && ref.Fragment == "" {
			err = fmt.Errorf("a term leads to a heading or a declaration, and not to a whole file")
		}
		others := strings.TrimPrefix(doc.Text(ref.Node.Parent()), ref.Text+": ")
		for _, name := range append(strings.Split(others, ", "), ref.Text) {
			if err == nil && said[name] {
				err = fmt.Errorf("%q is said twice", name)
			}
			said[name] = true
		}
		if err != nil {
			p.fail(doc, ref.Line, err)
		}
		entries = append(entries, site.SearchEntry{Kind: "term", Title: ref.Text, Href: href, Text: p.meaning(ref), Others: others})
	}
	return entries, source.Join(p.errs...)
}

// meaning returns the first sentence of what a reference leads to: of a
// declaration's comment, or of the text below a heading.
func (p *page) meaning(ref book.Reference) string {
	chapter, name, err := p.find(ref.Path)
	if err != nil {
		return "" // as href has reported
	}
	if file := chapter.file(name); file != nil {
		if decl, err := chapter.programOf(file).find(file, ref.Fragment); err == nil {
			return synopsis(decl.Doc)
		}
		return ""
	}
	part := chapter.Part(name)
	if part == nil {
		return ""
	}
	doc, headings := part.Document, part.Document.Headings
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.Heading); !ok {
			continue
		}
		heading := headings[0]
		headings = headings[1:]
		for below := n.NextSibling(); heading.ID == ref.Fragment && below != nil; below = below.NextSibling() {
			if text, ok := below.(*ast.Paragraph); ok {
				return synopsis(doc.Text(text))
			}
		}
	}
	return ""
}

// unread reports whether a path leads into a chapter that is written and could
// not be read.
func (v *volume) unread(name string) bool {
	slug, _, _ := strings.Cut(name, "/")
	for _, c := range v.book.Chapters {
		if c.Slug == slug {
			return c.Written && v.chapters[slug] == nil
		}
	}
	return false
}
