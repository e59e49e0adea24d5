package ebook

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// An e-book is read in columns of any width, by programs of which many know neither
// margins nor folds nor scripts nor a style sheet's arithmetic. What differs from the
// site for their sake is made here.

// reflow changes the body of a page for e-readers, and moves the notes of a section
// to its end.
func reflow(body node.List) node.List {
	var all, notes node.List
	for i, n := range body {
		if node.Is(n, "h2", "") {
			all, notes = append(all, notes...), nil
		}
		for _, below := range slices.Collect(node.List{n}.All()) {
			if node.Is(below, "small", "note") {
				notes = append(notes, footnote(below), node.Text("\n"))
			} else if below.Type == html.ElementNode {
				change(below)
			}
		}
		all = append(all, n)
		if node.Is(n, "p", "predict") {
			all = append(all, continuations(body[i+1:])...)
		}
	}
	return append(all, notes...)
}

// continuations returns what a prediction may choose from, before the page turns to what is
// said of each, and to the run.
func continuations(below node.List) node.List {
	ways := node.New("ol", node.Class("ways"), node.Attr("type", "A"))
	for _, n := range below {
		if node.Is(n, "details", "question") {
			if ways.FirstChild == nil {
				n.Attr = append(node.Without(n, "class"), node.Class("answer question turn"))
			}
			node.Add(ways, node.New("li", textOf(n.FirstChild)))
		} else if n.Type == html.ElementNode {
			break
		}
	}
	return node.List{node.Text("\n"), ways, node.New("p", node.Class("meta"), "Choose one, and turn the page.")}
}

// change replaces an element by the form that an e-book needs.
func change(n *html.Node) {
	switch {
	case node.Is(n, "a", "note-ref"):
		node.Add(n, node.Attr("epub:type", "noteref"), node.Attr("role", "doc-noteref"))
	case node.Is(n, "details", "head"): // code that leads in
		n.Parent.RemoveChild(n)
	case node.Is(n, "details", ""):
		unfold(n)
	case node.Is(n, "div", "table"):
		table(n)
	case node.Is(n, "span", "l"):
		hang(n)
	case node.Is(n, "figure", "shot"):
		picture(n)
	case node.Is(n, "figure", "scene"):
		n.Attr = node.Without(n, "data-look") // a run is looked into by scripts
	}
}

// footnote returns the note that was in the margin.
func footnote(n *html.Node) *html.Node {
	n.Parent.RemoveChild(n)
	id := node.Get(n, "id")
	back := node.New("a", node.Attr("role", "doc-backlink"), node.Href("#ref-"+strings.TrimPrefix(id, "note-")), textOf(n.FirstChild))
	n.RemoveChild(n.FirstChild)
	return node.New("aside", node.Class("note"), node.Attr("epub:type", "footnote"), node.Attr("role", "doc-footnote"), node.ID(id),
		node.New("p", back, node.Inside(n)))
}

// unfold opens a fold for good: many readers show the title of one and nothing that it
// hides, and those that turn pages lose the place when one opens. The title of an answer
// has ids of what it declares, and needs no signature, which stands below.
func unfold(n *html.Node) {
	n.Data, n.Attr = "div", node.Without(n, "open")
	title := n.FirstChild
	title.Data = "p"
	if node.Get(n, "class") != "answer" {
		return
	}
	declared := node.List{title.FirstChild}
	exercise := textOf(title.LastChild.FirstChild)
	var ids node.List
	for below := range declared.All() {
		if id := node.Get(below, "id"); id != "" {
			ids = append(ids, node.New("span", node.ID(id)))
		}
	}
	node.Inside(title)
	node.Add(title, ids, exercise)
}

// table says how small a table has to be set.
func table(n *html.Node) {
	columns := 0
	for below := range n.Descendants() {
		if node.Is(below, "th", "") {
			columns++
		}
		if node.Is(below, "td", "") {
			below.Attr = node.Without(below, "data-c")
		}
	}
	class := "table"
	if columns >= 4 {
		class = "table wide"
	}
	n.Attr = []html.Attribute{node.Class(class)}
}

// hang indents the continuation of a long line to its column, at most to the middle of
// a page's sixty columns. An em has room for 5/3 signs of the mono font.
func hang(n *html.Node) {
	var column int
	if _, err := fmt.Sscanf(node.Get(n, "style"), "--c:%d", &column); err != nil {
		return // at the usual one
	}
	column = min(column, 30)
	n.Attr = node.Without(n, "style")
	node.Add(n, node.Attr("style", fmt.Sprintf("padding-left:%[1]d.%[2]dem;text-indent:-%[1]d.%[2]dem", column*6/10, column*6%10)))
}

// picture leaves the choice between light and dark to the e-reader, and drops the
// record below.
func picture(n *html.Node) {
	n.Attr = node.Without(n, "data-look", "data-at")
	light, dark := n.FirstChild, n.FirstChild.NextSibling
	n.RemoveChild(dark)
	n.RemoveChild(light)
	source := node.New("source", node.Attr("media", "(prefers-color-scheme: dark)"), node.Attr("srcset", node.Get(dark, "src")), node.Attr("type", types[path.Ext(node.Get(dark, "src"))]))
	light.Attr = node.Without(light, "class", "loading")
	n.InsertBefore(node.New("picture", source, light), n.FirstChild)
}

// textOf returns the text of a node.
func textOf(n *html.Node) string { return node.List{n}.Text() }
