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

type writer struct {
	strings.Builder
	read Reader
	xml  bool
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
		_, _ = escaper.WriteString(w, n.Data) // a builder takes every write
		return
	case html.ElementNode:
	default: // a comment is for authors
		return
	}
	drawn := n.Namespace == "svg"
	w.WriteString("<" + n.Data)
	attrs := n.Attr
	if w.read != nil {
		attrs = w.read(n)
	}
	for _, a := range attrs {
		w.attribute(a, w.xml || drawn)
	}
	if slices.Contains(void, n.Data) || drawn && n.FirstChild == nil {
		if w.xml || drawn {
			w.WriteString("/")
		}
		w.WriteString(">")
		return
	}
	w.WriteString(">")
	for kid := range n.ChildNodes() {
		w.node(kid)
	}
	w.WriteString("</" + n.Data + ">")
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
