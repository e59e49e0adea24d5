package node

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// All yields every node of the list and below it, in the order of the text.
func (l List) All() iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for _, n := range l {
			if !yield(n) {
				return
			}
			for below := range n.Descendants() {
				if !yield(below) {
					return
				}
			}
		}
	}
}

// Find returns the first element of a name and a class; "" is any.
func (l List) Find(name, class string) *html.Node {
	for n := range l.All() {
		if Is(n, name, class) {
			return n
		}
	}
	return nil
}

// Text returns all text of the list.
func (l List) Text() string {
	var b strings.Builder
	for n := range l.All() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// Is reports whether a node is an element of a name and a class; "" is any.
func Is(n *html.Node, name, class string) bool {
	return n.Type == html.ElementNode && (name == "" || n.Data == name) &&
		(class == "" || slices.Contains(strings.Fields(Get(n, "class")), class))
}

// Get returns the value of an attribute, "" if the element has none of that key.
func Get(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Without returns the attributes of an element but for those of some keys.
func Without(n *html.Node, keys ...string) []html.Attribute {
	return slices.DeleteFunc(slices.Clone(n.Attr), func(a html.Attribute) bool { return slices.Contains(keys, a.Key) })
}
