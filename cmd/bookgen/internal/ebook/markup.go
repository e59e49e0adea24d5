package ebook

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// pageSigns is how long a page is: 1,800 signs, as a typed one had.
const pageSigns = 1800

// typeset returns the body of the page for its file. A page of paper is taken as full
// after pageSigns; the next block begins another.
func (p *page) typeset() node.List {
	lead := p.In(p)
	bind := func(n *html.Node) []html.Attribute { // pictures lie beside pages, as on the site
		n.Attr = lead(n)
		if n.Data == "img" || n.Data == "source" {
			return node.Leading(p.To)(n)
		}
		return n.Attr
	}
	var set node.List
	signs := pageSigns // a page begins at the first block
	for _, block := range reflow(p.Body.Clone()) {
		if signs >= pageSigns && block.Type == html.ElementNode {
			set = append(set, p.Book.turn(p.File))
			signs = 0
		}
		for n := range (node.List{block}).All() {
			adapt(n, bind)
		}
		signs += len(node.List{block}.Text())
		set = append(set, block)
	}
	return set
}

// turn begins a page, and notes where.
func (e *epub) turn(file string) *html.Node {
	n := fmt.Sprint(len(e.Breaks) + 1)
	e.Breaks = append(e.Breaks, place{Title: n, Href: file + "#page-" + n})
	return node.New("span", node.Attr("epub:type", "pagebreak"), node.Attr("role", "doc-pagebreak"), node.Attr("id", "page-"+n), node.Attr("aria-label", n))
}

// adapt gives an element the attributes that it has in an e-book.
func adapt(n *html.Node, bind node.Reader) {
	n.Attr = bind(n)
	n.Attr = node.Without(n, "tabindex") // no e-reader scrolls a part of its page
	if n.Data == "svg" {
		n.Attr = append(node.Without(n, "xmlns"), node.Attr("xmlns", "http://www.w3.org/2000/svg"))
	}
}

// drawn returns a drawing as XML.
func drawn(drawing node.List) string {
	drawing = reflow(drawing.Clone())
	for n := range drawing.All() {
		adapt(n, func(n *html.Node) []html.Attribute { return n.Attr })
	}
	return drawing.XML()
}

// paragraphs returns a text with empty lines between its paragraphs.
func paragraphs(text string) node.List {
	var all node.List
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		all = append(all, node.New("p", paragraph), node.Text("\n"))
	}
	return all
}
