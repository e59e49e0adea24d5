package prose

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// text is a text while nodes are made of it.
type text struct {
	doc   *book.Document
	woven func(element any) node.List
	named map[string]int // how many tables and questions of each name there were
}

// Inside returns what stands in a node of a text. woven makes the elements that stand in
// the place of references.
func Inside(doc *book.Document, n ast.Node, woven func(element any) node.List) node.List {
	return (&text{doc, woven, map[string]int{}}).inside(n)
}

// Of returns a node of a text likewise.
func Of(doc *book.Document, n ast.Node, woven func(element any) node.List) node.List {
	return (&text{doc, woven, map[string]int{}}).nodes(n)
}

func (s *text) inside(n ast.Node) node.List {
	var all node.List
	for kid := n.FirstChild(); kid != nil; kid = kid.NextSibling() {
		all = append(all, s.nodes(kid)...)
	}
	return all
}

// nodes returns a node of the text, as a page has it.
func (s *text) nodes(n ast.Node) node.List {
	if n.Type() == ast.TypeInline {
		return s.inline(n)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return s.heading(n)
	case *ast.Paragraph:
		if _, asks := n.AttributeString(predicts); asks {
			return node.Line(node.New("p", node.Class("predict"), s.inside(n)))
		}
		return node.Line(node.New("p", s.inside(n)))
	case *ast.TextBlock:
		if n.NextSibling() != nil {
			return append(s.inside(n), node.Text("\n"))
		}
	case *ast.Blockquote:
		if isAside(n) {
			return node.Line(node.New("aside", node.Class("aside"), "\n", s.inside(n)))
		}
		return node.Line(node.New("blockquote", "\n", s.inside(n)))
	case *ast.List:
		return s.list(n)
	case *ast.ListItem:
		if first := n.FirstChild(); first != nil && first.Kind() != ast.KindTextBlock {
			return node.Line(node.New("li", "\n", s.inside(n)))
		}
		return node.Line(node.New("li", s.inside(n)))
	case *ast.ThematicBreak:
		return node.Line(node.New("hr"))
	case *extast.DefinitionList:
		return s.questions(n)
	case *extast.Table:
		return s.table(n)
	case *Block:
		return append(s.woven(n.Element), node.Text("\n"))
	}
	return s.inside(n)
}

func (s *text) inline(n ast.Node) node.List {
	switch n := n.(type) {
	case *ast.Text:
		return s.words(n)
	case *ast.String:
		return node.List{node.Text(string(n.Value))}
	case *ast.CodeSpan:
		return s.code(n)
	case *ast.Emphasis:
		return node.List{node.New([]string{"em", "strong"}[n.Level-1], s.inside(n))}
	case *extast.Strikethrough:
		return node.List{node.New("del", s.inside(n))}
	case *ast.Link:
		return node.List{node.New("a", node.Href(string(util.URLEscape(n.Destination, false))), node.Attr("title", string(n.Title)), s.inside(n))}
	case *ast.AutoLink:
		return node.List{node.New("a", node.Href(string(util.URLEscape(n.URL(s.doc.Source), false))), string(n.Label(s.doc.Source)))}
	case *book.NoteCall:
		return s.note(n.Note)
	case *Inline:
		return s.woven(n.Element)
	}
	return s.inside(n)
}

func (s *text) words(n *ast.Text) node.List {
	value := n.Value(s.doc.Source)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	switch plain := node.Text(string(value)); {
	case n.HardLineBreak():
		return node.List{plain, node.New("br"), node.Text("\n")}
	case n.SoftLineBreak():
		plain.Data += "\n"
		fallthrough
	default:
		return node.List{plain}
	}
}

// heading leaves the title of the page out: the site sets it.
func (s *text) heading(h *ast.Heading) node.List {
	if h.Level == 1 {
		return nil
	}
	id, _ := h.AttributeString("id")
	return node.Line(node.New(fmt.Sprint("h", h.Level), node.ID(string(id.([]byte))), s.inside(h)))
}

func (s *text) list(n *ast.List) node.List {
	if !n.IsOrdered() {
		return node.Line(node.New("ul", "\n", s.inside(n)))
	}
	start := ""
	if n.Start != 1 {
		start = fmt.Sprint(n.Start)
	}
	return node.Line(node.New("ol", node.Attr("start", start), "\n", s.inside(n)))
}

// isAside reports whether a quotation begins in bold.
func isAside(n ast.Node) bool {
	first := n.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false
	}
	bold, ok := first.FirstChild().(*ast.Emphasis)
	return ok && bold.Level == 2
}
