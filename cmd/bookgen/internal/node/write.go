package node

import (
	"html/template"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A Reader says which attributes an element has in one of the books that are made of
// the tree.
type Reader func(*html.Node) []html.Attribute

// HTML returns the markup of the list. Values of attributes have quotes where they
// need them.
func (l List) HTML() template.HTML { return l.As(nil) }

// String returns the markup as a text.
func (l List) String() string { return string(l.HTML()) }

// As returns the markup of the list as one book has it; nil is as it is.
func (l List) As(read Reader) template.HTML {
	w := writer{read: read}
	return template.HTML(w.list(l))
}

// XML returns the list as XML.
func (l List) XML() string {
	w := writer{xml: true}
	return w.list(l)
}

// Lines returns the markup line by line. An element that spans several lines is in each
// of them.
func (l List) Lines() []template.HTML {
	w := writer{lines: []template.HTML{}}
	last := w.list(l)
	return append(w.lines, template.HTML(last))
}

type writer struct {
	strings.Builder
	read  Reader
	xml   bool
	lines []template.HTML // that are written, if lines are
	open  []*html.Node    // the elements around, likewise
}

func (w *writer) list(l List) string {
	for _, n := range l {
		w.node(n)
	}
	return w.String()
}

// void are the elements of HTML that have no end.
var void = []string{"br", "hr", "img", "source", "wbr"}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (w *writer) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	default: // a comment is for authors
		return
	}
	if w.begin(n) {
		return
	}
	w.open = append(w.open, n)
	for kid := range n.ChildNodes() {
		w.node(kid)
	}
	w.open = w.open[:len(w.open)-1]
	w.WriteString("</" + n.Data + ">")
}

func (w *writer) text(text string) {
	for w.lines != nil {
		line, rest, more := strings.Cut(text, "\n")
		if text = rest; !more {
			text = line
			break
		}
		_, _ = escaper.WriteString(w, line) // a builder takes every write
		for _, around := range slices.Backward(w.open) {
			w.WriteString("</" + around.Data + ">")
		}
		w.lines = append(w.lines, template.HTML(w.String()))
		w.Reset()
		for _, around := range w.open {
			w.begin(around)
		}
	}
	_, _ = escaper.WriteString(w, text)
}

// begin writes the tag of an element, and reports whether that is all of it.
func (w *writer) begin(n *html.Node) (whole bool) {
	drawn := n.Namespace == "svg"
	w.WriteString("<" + n.Data)
	attrs := n.Attr
	if w.read != nil {
		attrs = w.read(n)
	}
	for _, a := range attrs {
		w.attribute(a, w.xml || drawn)
	}
	whole = n.FirstChild == nil && (drawn || slices.Contains(void, n.Data))
	if whole && (w.xml || drawn) {
		w.WriteString("/")
	}
	w.WriteString(">")
	return whole
}

// attribute writes an attribute, in quotes if it has to be, or if its value needs them.
func (w *writer) attribute(a html.Attribute, quoted bool) {
	key := a.Key
	if a.Namespace != "" {
		key = a.Namespace + ":" + key
	}
	w.WriteString(" " + key)
	switch {
	case a.Val == "" && !quoted:
	case quoted || strings.ContainsAny(a.Val, " \t\n\"'=<>`&"):
		w.WriteString(`="` + html.EscapeString(a.Val) + `"`)
	default:
		w.WriteString("=" + a.Val)
	}
}
