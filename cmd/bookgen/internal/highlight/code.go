package highlight

import (
	"sort"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// Links decides where the identifiers of one file lead on the page that shows
// it. Every answer may be "".
type Links interface {
	// To returns the address of a name of a package.
	To(pkg, name string) string
	// Define returns the id that a definition gets, and the address that it
	// leads to itself.
	Define(name string) (id, href string)
	// Local returns the address of a definition within a function.
	Local(offset int) string
}

// Code is a Go file ready to be marked up piece by piece.
type Code struct {
	src    []byte
	tokens []tok // nil until they are asked for
	refs   []Ref
}

// NewCode reads a file. Without refs it gets no links.
func NewCode(src []byte, refs []Ref) *Code {
	return &Code{src: src, refs: refs}
}

// Nodes marks up the bytes from start to end.
func (c *Code) Nodes(start, end int, links Links) node.List {
	if c.tokens == nil {
		c.tokens = tokens(c.src)
	}
	var out node.List
	at := start
	first := sort.Search(len(c.tokens), func(i int) bool { return c.tokens[i].end > start })
	for i := first; i < len(c.tokens) && c.tokens[i].start < end; i++ {
		t := c.tokens[i]
		if t.class == comment && c.depth(t.start) >= 0 {
			i, t = c.joinComments(i, end)
		}
		from, to := max(t.start, start), min(t.end, end)
		if from < at {
			continue // the second half of pkg.Name
		}
		out = joined(out, node.Text(string(c.src[at:from])))
		at = to
		switch {
		case t.class == name, t.class == literal && c.ref(t.start) != nil:
			var n *html.Node
			n, at = c.identifier(i, end, links)
			out = joined(out, n)
		case t.class == comment:
			out = append(out, remark(string(c.src[from:to]), c.depth(from))...)
		case t.class == keyword:
			out = append(out, node.New("b", string(c.src[from:to])))
		default:
			out = append(out, node.New("i", node.Attr("class", string(t.class)), string(c.src[from:to])))
		}
	}
	return joined(out, node.Text(string(c.src[at:end])))
}

// joined adds a node; a text goes on with the one before.
func joined(out node.List, n *html.Node) node.List {
	if n.Type != html.TextNode {
		return append(out, n)
	}
	if len(out) > 0 && out[len(out)-1].Type == html.TextNode {
		out[len(out)-1].Data += n.Data
	} else if n.Data != "" {
		out = append(out, n)
	}
	return out
}

// joinComments joins a comment with those of the lines that follow, if only
// space is between them.
func (c *Code) joinComments(i, end int) (int, tok) {
	t := c.tokens[i]
	for i+1 < len(c.tokens) {
		next := c.tokens[i+1]
		between := string(c.src[t.end:next.start])
		if next.class != comment || next.start >= end || strings.TrimSpace(between) != "" || strings.Count(between, "\n") > 1 {
			break
		}
		i, t.end = i+1, next.end
	}
	return i, t
}

// identifier returns a name as a link, a definition, or plain, and the index behind its
// last token: pkg.Name is one link.
func (c *Code) identifier(i, end int, links Links) (*html.Node, int) {
	t := c.tokens[i]
	ref := c.ref(t.start)
	text := string(c.src[t.start:t.end])
	switch {
	case ref == nil:
		return node.Text(text), t.end
	case ref.Pkg != "" && ref.Name == "" && i+1 < len(c.tokens):
		next := c.tokens[i+1]
		member := c.ref(next.start)
		if next.start == t.end+1 && c.src[t.end] == '.' && next.end <= end && member != nil && member.Pkg == ref.Pkg {
			return global(member, string(c.src[t.start:next.end]), links), next.end
		}
	}
	switch {
	case ref.Local == ref.Offset+1:
		return node.Text(text), t.end
	case ref.Local > 0:
		return anchor("", links.Local(ref.Local-1), "", text), t.end
	}
	return global(ref, text, links), t.end
}

// global returns an identifier that has a name outside of its function. An
// embedded field is a definition, and leads to its type.
func global(ref *Ref, text string, links Links) *html.Node {
	if ref.Def == "" {
		return anchor("", links.To(ref.Pkg, ref.Name), "", text)
	}
	id, href := links.Define(ref.Def)
	if ref.Name != "" {
		href = links.To(ref.Pkg, ref.Name)
	}
	return anchor("d", href, id, text)
}

// anchor returns text as <a>, or bare if the element would carry nothing.
func anchor(class, href, id, text string) *html.Node {
	if class == "" && href == "" && id == "" {
		return node.Text(text)
	}
	return node.New("a", node.Attr("class", class), node.Attr("id", id), node.Attr("href", href), text)
}

func (c *Code) ref(offset int) *Ref {
	i := sort.Search(len(c.refs), func(i int) bool { return c.refs[i].Offset >= offset })
	if i < len(c.refs) && c.refs[i].Offset == offset {
		return &c.refs[i]
	}
	return nil
}
