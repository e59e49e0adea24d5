package weave

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// block and inline are the nodes of a text that stand in the place of a reference.
type (
	block struct {
		ast.BaseBlock
		element element
		line    int // of the file
	}
	inline struct {
		ast.BaseInline
		element element
	}
)

var (
	kindBlock  = ast.NewNodeKind("Woven")
	kindInline = ast.NewNodeKind("WovenInline")
)

func (*block) Kind() ast.NodeKind            { return kindBlock }
func (*inline) Kind() ast.NodeKind           { return kindInline }
func (n *block) Dump(src []byte, level int)  { ast.DumpHelper(n, src, level, nil, nil) }
func (n *inline) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// prose makes nodes of a text.
type prose struct {
	page   *page
	doc    *book.Document
	tables map[string]int // how many of each name there were
}

// inside returns what stands in a node of the text.
func (s *prose) inside(n ast.Node) node.List {
	var all node.List
	for kid := n.FirstChild(); kid != nil; kid = kid.NextSibling() {
		all = append(all, s.nodes(kid)...)
	}
	return all
}

// nodes returns a node of the text, as a page has it.
func (s *prose) nodes(n ast.Node) node.List {
	if n.Type() == ast.TypeInline {
		return s.inline(n)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return s.heading(n)
	case *ast.Paragraph:
		return line(node.New("p", s.inside(n)))
	case *ast.TextBlock:
		if n.NextSibling() != nil {
			return append(s.inside(n), node.Text("\n"))
		}
	case *ast.Blockquote:
		if isAside(n) {
			return line(node.New("aside", node.Class("aside"), "\n", s.inside(n)))
		}
		return line(node.New("blockquote", "\n", s.inside(n)))
	case *ast.List:
		return s.list(n)
	case *ast.ListItem:
		if first := n.FirstChild(); first != nil && first.Kind() != ast.KindTextBlock {
			return line(node.New("li", "\n", s.inside(n)))
		}
		return line(node.New("li", s.inside(n)))
	case *ast.ThematicBreak:
		return line(node.New("hr"))
	case *extast.DefinitionList:
		return s.questions(n)
	case *extast.Table:
		return s.table(n)
	case *block:
		return append(n.element.nodes(s.page), node.Text("\n"))
	}
	return s.inside(n)
}

// line returns an element that has its line of a page's markup to itself.
func line(n *html.Node) node.List { return node.List{n, node.Text("\n")} }

func (s *prose) inline(n ast.Node) node.List {
	switch n := n.(type) {
	case *ast.Text:
		return s.text(n)
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
	case *inline:
		return n.element.nodes(s.page)
	}
	return s.inside(n)
}

func (s *prose) text(n *ast.Text) node.List {
	value := n.Value(s.doc.Source)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	switch text := node.Text(string(value)); {
	case n.HardLineBreak():
		return node.List{text, node.New("br"), node.Text("\n")}
	case n.SoftLineBreak():
		text.Data += "\n"
		fallthrough
	default:
		return node.List{text}
	}
}

// heading leaves the title of the page out: the site sets it.
func (s *prose) heading(h *ast.Heading) node.List {
	if h.Level == 1 {
		return nil
	}
	id, _ := h.AttributeString("id")
	return line(node.New(fmt.Sprint("h", h.Level), node.ID(string(id.([]byte))), s.inside(h)))
}

func (s *prose) list(n *ast.List) node.List {
	if !n.IsOrdered() {
		return line(node.New("ul", "\n", s.inside(n)))
	}
	start := ""
	if n.Start != 1 {
		start = fmt.Sprint(n.Start)
	}
	return line(node.New("ol", node.Attr("start", start), "\n", s.inside(n)))
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

// questions returns the folds of a definition list: each of its terms is a question, with
// the answer folded behind it.
func (s *prose) questions(list ast.Node) node.List {
	var all node.List
	var fold *html.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == extast.KindDefinitionTerm {
			fold = node.New("details", node.Class("answer question"), node.New("summary", s.inside(n)), "\n")
			all = append(all, line(fold)...)
			continue
		}
		node.Add(fold, s.inside(n))
	}
	return all
}

// Code breaks behind its slashes and dots where it has to, but no option breaks
// behind its dashes.
var (
	breaks = regexp.MustCompile(`\.\w{4}|/`)
	option = regexp.MustCompile(`(?:^|\s)(--?\w+)`)
)

// short code fits into any line but that of a table.
const short = 16

func (s *prose) code(n ast.Node) node.List {
	text := strings.ReplaceAll(s.doc.Text(n), "\n", " ")
	code := node.New("code")
	done := 0
	for _, m := range option.FindAllStringSubmatchIndex(text, -1) {
		node.Add(code, breaking(text[done:m[2]], s.breaks(n, text)), node.New("span", node.Class("nb"), text[m[2]:m[3]]))
		done = m[3]
	}
	node.Add(code, breaking(text[done:], s.breaks(n, text)))
	return node.List{code}
}

// breaks reports whether code may break inside.
func (s *prose) breaks(n ast.Node, text string) bool {
	return n.Parent().Kind() == extast.KindTableCell || len(text) > short
}

// breaking returns text with the places at which it may break.
func breaking(text string, may bool) node.List {
	var all node.List
	for may {
		at := breaks.FindStringIndex(text)
		if at == nil {
			break
		}
		all = append(all, node.Text(text[:at[0]+1]), node.New("wbr"))
		text = text[at[0]+1:]
	}
	return append(all, node.Text(text))
}

// note returns a margin note, where it is called.
func (s *prose) note(note *book.Note) node.List {
	if note == nil { // that it is missing was reported
		return nil
	}
	number := fmt.Sprint(note.Number)
	body := node.New("small", node.Class("note"), node.ID("note-"+note.Label), node.Attr("role", "note"), node.New("span", node.Class("num"), number), " ")
	for paragraph := note.Body.FirstChild(); paragraph != nil; paragraph = paragraph.NextSibling() {
		if paragraph != note.Body.FirstChild() {
			node.Add(body, node.New("br"))
		}
		node.Add(body, s.inside(paragraph))
	}
	return node.List{node.New("a", node.Class("note-ref"), node.ID("ref-"+note.Label), node.Href("#note-"+note.Label), number), body}
}
