package node

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A List is nodes that stand below each other, without a parent.
type List []*html.Node

// New returns an element. Its parts are attributes, and what stands in it: nodes,
// lists of them, and strings of text. Attributes without a key and nodes that are nil
// are left out.
func New(name string, parts ...any) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	Add(n, parts...)
	return n
}

// Add adds parts to an element.
func Add(to *html.Node, parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case html.Attribute:
			if part.Key != "" {
				to.Attr = append(to.Attr, part)
			}
		case string:
			if part != "" {
				to.AppendChild(Text(part))
			}
		case *html.Node:
			if part != nil {
				to.AppendChild(part)
			}
		case List:
			for _, n := range part {
				Add(to, n)
			}
		default:
			panic(fmt.Sprintf("%T is no part of an element", part))
		}
	}
}

// Text returns a text.
func Text(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

// Attr returns an attribute or, without a value, none.
func Attr(key, value string) html.Attribute {
	if value == "" {
		return html.Attribute{}
	}
	return html.Attribute{Key: key, Val: value}
}

// Class returns an attribute that names an element's class.
func Class(name string) html.Attribute { return Attr("class", name) }

// ID returns an attribute that names an element.
func ID(name string) html.Attribute { return Attr("id", name) }

// Href returns an attribute that leads to an address.
func Href(address string) html.Attribute { return Attr("href", address) }

// Flag returns an attribute that has no value.
func Flag(key string) html.Attribute { return html.Attribute{Key: key} }

// Line returns an element that has its line of a page's markup to itself.
func Line(n *html.Node) List { return List{n, Text("\n")} }

// Parse returns the nodes of markup that another made: of a drawing.
func Parse(markup string) List {
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		panic(err) // a string can always be read
	}
	return nodes
}

// Inside takes out of an element what stands in it.
func Inside(n *html.Node) List {
	var all List
	for n.FirstChild != nil {
		kid := n.FirstChild
		n.RemoveChild(kid)
		all = append(all, kid)
	}
	return all
}

// Clone returns a copy of an element, with all that stands in it.
func Clone(n *html.Node) *html.Node {
	clone := *n
	clone.Parent, clone.FirstChild, clone.LastChild, clone.PrevSibling, clone.NextSibling = nil, nil, nil, nil, nil
	clone.Attr = append([]html.Attribute(nil), n.Attr...)
	for kid := range n.ChildNodes() {
		clone.AppendChild(Clone(kid))
	}
	return &clone
}

// Clone returns a copy of the list, with all that stands in it.
func (l List) Clone() List {
	var clones List
	for _, n := range l {
		clones = append(clones, Clone(n))
	}
	return clones
}
