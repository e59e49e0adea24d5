package node

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Addresses in the tree begin at the site's root: 01-control-loop/index.html#Queue. One
// that is only a fragment is of the page that it stands on, and one with a colon before
// that leads out of the book.

// Leading returns how nodes are read where each address is another.
func Leading(to func(address string) string) Reader {
	return func(n *html.Node) []html.Attribute {
		attrs := n.Attr
		for i, a := range n.Attr {
			if a.Key == "href" || a.Key == "src" || a.Key == "srcset" {
				attrs = slices.Clone(attrs)
				attrs[i].Val = to(a.Val)
			}
		}
		return attrs
	}
}

// Relative returns the way from a page to an address.
func Relative(page, address string) string {
	file, rest := address, ""
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		file, rest = address[:i], address[i:]
	}
	switch {
	case file == "" || strings.Contains(file, ":"):
		return address
	case file == page && strings.HasPrefix(rest, "#"):
		return rest
	}
	from, to := strings.Split(page, "/"), strings.Split(file, "/")
	for len(from) > 1 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)-1) + strings.Join(to, "/") + rest
}
