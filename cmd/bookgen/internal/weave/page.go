package weave

import (
	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
)

// page is a page while it is rendered. The front page has no chapter, nor have
// those beside the chapters.
type page struct {
	*link.Page
	volume  *volume
	chapter *Chapter
	mark    string // stands before the ids of its figures
	errs    []error
}

// page returns a page of a chapter, or of none.
func (v *volume) page(c *Chapter, part *book.Part, file string) *page {
	var linked *link.Chapter
	if c != nil {
		linked = c.Chapter
	}
	return &page{Page: v.links.Page(linked, part, file), volume: v, chapter: c}
}

// render turns a text of the page into nodes.
func (p *page) render(doc *book.Document) node.List {
	p.resolveLinks(doc)
	return p.resolved(doc, doc.Root)
}

// resolved returns what stands in a node of a text whose links have been resolved.
func (p *page) resolved(doc *book.Document, n ast.Node) node.List {
	return prose.Inside(doc, n, p.woven)
}

// woven returns what stands in the place of a reference.
func (p *page) woven(e any) node.List { return e.(element).nodes(p) }

func (p *page) fail(doc *book.Document, line int, err error) {
	p.errs = append(p.errs, at(doc, line, err))
}
