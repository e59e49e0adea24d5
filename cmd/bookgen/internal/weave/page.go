package weave

import (
	"cmp"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/internal/source"
)

// page is a page while it is rendered. The front page has no chapter, nor have
// those beside the chapters.
type page struct {
	volume  *volume
	chapter *Chapter
	part    *book.Part // nil on pages of no chapter and on the pages of files
	file    string     // what its ids are kept under: "how-to-read.html", "01-control-loop/the-kubelet"
	teaches bool       // it is of a course: its texts stand in other folders than the page
	mark    string     // stands before the ids of its figures
	errs    []error
	linked  map[string]bool // addresses outside of the book that it has led to
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

// ids are the targets that a rendered page has.
type ids map[string]bool

// idsIn finds the ids of a page.
func idsIn(body node.List) ids {
	found := ids{}
	for n := range body.All() {
		if id := node.Get(n, "id"); id != "" {
			found[id] = true
		}
	}
	return found
}

// anchor is a link into a page that may not be rendered yet.
type anchor struct {
	doc      *book.Document
	line     int
	page, id string
}

func (v *volume) deadAnchors() error {
	var errs []error
	for _, a := range v.anchors {
		if !v.ids[a.page][a.id] {
			where := cmp.Or(a.page, "the page")
			errs = append(errs, source.At(a.doc.File, a.line, "dead link: nothing on %s has the id %q", where, a.id))
		}
	}
	return source.Join(errs...)
}
