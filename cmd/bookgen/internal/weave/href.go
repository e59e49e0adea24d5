package weave

import (
	"fmt"
	"path"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
)

// resolveLinks gives every link inside a sentence its address on the site, and
// takes numbers from recorded runs.
func (p *page) resolveLinks(doc *book.Document) {
	for _, ref := range doc.References() {
		if ref.Picture {
			p.fail(doc, ref.Line, fmt.Errorf("a picture stands alone in a paragraph of a chapter"))
			continue
		}
		if ref.External() {
			continue
		}
		if ref.Path == bookFile && p.chapter == nil {
			p.ofTheBook(doc, ref)
			continue
		}
		if element, err := p.numberOf(ref); element != nil || err != nil {
			if err != nil {
				p.fail(doc, ref.Line, err)
				continue
			}
			p.weaveInline(ref.Node, element)
			continue
		}
		href, err := p.Href(doc, ref)
		if err != nil {
			p.fail(doc, ref.Line, err)
			continue
		}
		ref.Node.(*ast.Link).Destination = []byte(href)
		if p.Part != nil {
			p.chapter.counts.Links++
		}
	}
}

// weaveInline puts an element in the place of a link, and keeps the link's
// words for counts and for the search.
func (p *page) weaveInline(link ast.Node, element element) {
	if p.Part != nil {
		p.chapter.counts.count(element)
	}
	n := &prose.Inline{Element: element}
	replace(link, n)
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		n.AppendChild(n, child)
	}
}

// find returns the chapter that a path leads into, and the rest of the path.
func (p *page) find(name string) (*Chapter, string, error) {
	chapter, rest, err := p.Find(name)
	if err != nil {
		return nil, "", err
	}
	return p.volume.chapters[chapter.Slug], rest, nil
}

// numberOf returns nil for a reference that is no number.
func (p *page) numberOf(ref book.Reference) (element, error) {
	if path.Ext(ref.Path) != ".json" {
		return nil, nil
	}
	chapter, name, err := p.find(ref.Path)
	switch {
	case err != nil:
		return nil, err
	case ref.Fragment == "":
		return nil, fmt.Errorf("a number of %s needs its path behind a #", ref.Path)
	}
	ref.Path = name
	return chapter.quantity(ref)
}
