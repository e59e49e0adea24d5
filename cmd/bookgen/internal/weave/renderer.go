package weave

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"reconcile/cmd/bookgen/internal/book"
)

// block and inline are the nodes that stand in the place of a reference.
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

// weaver is the goldmark extension: it renders woven elements, and those that
// the site wants otherwise than goldmark.
type weaver struct {
	page   *page
	doc    *book.Document
	render renderer.Renderer // goldmark's, extended
	tables map[string]int    // how many of each name there were
	notes  []*book.Note      // called since the last section of an e-book
}

func (p *page) renderer(doc *book.Document) renderer.Renderer {
	return goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, &weaver{page: p, doc: doc, tables: map[string]int{}},
	)).Renderer()
}

// Extend registers the weaver's renderers in front of goldmark's.
func (w *weaver) Extend(m goldmark.Markdown) {
	w.render = m.Renderer()
	w.render.AddOptions(renderer.WithNodeRenderers(util.Prioritized(w, 100)))
}

// RegisterFuncs says which nodes the weaver renders.
func (w *weaver) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindBlock, w.block)
	r.Register(kindInline, w.inline)
	r.Register(ast.KindHeading, w.heading)
	r.Register(ast.KindBlockquote, w.blockquote)
	r.Register(extast.KindTable, w.table)
	r.Register(ast.KindCodeSpan, w.code)
	r.Register(book.KindNoteCall, w.note)
	r.Register(ast.KindDocument, w.document)
	r.Register(extast.KindDefinitionList, w.questions)
	r.Register(extast.KindDefinitionTerm, w.question)
	r.Register(extast.KindDefinitionDescription, w.answer)
}

func (w *weaver) block(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		out.WriteString(n.(*block).element.html(w.page) + "\n")
	}
	return ast.WalkSkipChildren, nil
}

func (w *weaver) inline(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		out.WriteString(n.(*inline).element.html(w.page))
	}
	return ast.WalkSkipChildren, nil
}

// heading leaves the title of the page out: the site sets it.
func (w *weaver) heading(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	if entering && h.Level == 2 {
		if err := w.footnotes(out); err != nil {
			return ast.WalkStop, err
		}
	}
	if h.Level == 1 {
		return ast.WalkSkipChildren, nil
	}
	if !entering {
		fmt.Fprintf(out, "</h%d>\n", h.Level)
		return ast.WalkContinue, nil
	}
	id, _ := h.AttributeString("id")
	fmt.Fprintf(out, "<h%d id=%s>", h.Level, id)
	return ast.WalkContinue, nil
}

// blockquote makes an aside of a quotation that begins in bold.
func (w *weaver) blockquote(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open, close := "<blockquote>\n", "</blockquote>\n"
	if isAside(n) {
		open, close = "<aside class=aside>\n", "</aside>\n"
	}
	if entering {
		out.WriteString(open)
	} else {
		out.WriteString(close)
	}
	return ast.WalkContinue, nil
}

func isAside(n ast.Node) bool {
	first := n.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false
	}
	bold, ok := first.FirstChild().(*ast.Emphasis)
	return ok && bold.Level == 2
}

// table lets a wide table scroll, and names it by its columns; one that has those of a
// table before it, by its number too.
func (w *weaver) table(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		out.WriteString("</table></div>\n")
		return ast.WalkContinue, nil
	}
	if w.page.volume.memory.Ebook {
		out.WriteString("<div class=" + tableClass(n) + "><table>\n")
		return ast.WalkContinue, nil
	}
	var columns []string
	for cell := n.FirstChild().FirstChild(); cell != nil; cell = cell.NextSibling() {
		if title := strings.TrimSpace(w.doc.Text(cell)); title != "" {
			columns = append(columns, title)
		}
	}
	if n.FirstChild().ChildCount() >= 4 {
		w.nameCells(n)
	}
	label := "Table: " + strings.Join(columns, ", ")
	if w.tables[label]++; w.tables[label] > 1 {
		label += fmt.Sprintf(", %d", w.tables[label])
	}
	fmt.Fprintf(out, "<div class=table tabindex=0 role=region aria-label=%s><table>\n", quoted(label))
	return ast.WalkContinue, nil
}

// nameCells gives each cell its column's name, for screens on which the columns
// stand below each other.
func (w *weaver) nameCells(table ast.Node) {
	head := table.FirstChild()
	for row := head.NextSibling(); row != nil; row = row.NextSibling() {
		name := head.FirstChild()
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cell.SetAttributeString("data-c", []byte(strings.TrimSpace(w.doc.Text(name))))
			name = name.NextSibling()
		}
	}
}

// Code breaks behind its slashes and dots where it has to, but no option breaks
// behind its dashes.
var (
	dotted = regexp.MustCompile(`\.(\w{4,})`)
	option = regexp.MustCompile(`(^|\s)(--?\w+)`)
)

// short code fits into any line but that of a table.
const short = 16

func (w *weaver) code(out util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	text := escaped(strings.ReplaceAll(w.doc.Text(n), "\n", " "))
	if n.Parent().Kind() == extast.KindTableCell || len(text) > short {
		text = strings.ReplaceAll(dotted.ReplaceAllString(text, ".<wbr>$1"), "/", "/<wbr>")
	}
	text = option.ReplaceAllString(text, "$1<span class=nb>$2</span>")
	out.WriteString("<code>" + text + "</code>")
	return ast.WalkSkipChildren, nil
}

// note puts a margin note where it is called.
func (w *weaver) note(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	note := n.(*book.NoteCall).Note
	if !entering || note == nil { // a missing note was reported
		return ast.WalkContinue, nil
	}
	if w.page.volume.memory.Ebook {
		w.callFootnote(out, note)
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(out, `<a class=note-ref id=ref-%s href=#note-%s>%d</a><small class=note id=note-%s role=note><span class=num>%d</span> `,
		note.Label, note.Label, note.Number, note.Label, note.Number)
	err := w.noteBody(out, note)
	out.WriteString("</small>")
	return ast.WalkContinue, err
}

// noteBody renders the paragraphs of a note as one.
func (w *weaver) noteBody(out util.BufWriter, note *book.Note) error {
	for paragraph := note.Body.FirstChild(); paragraph != nil; paragraph = paragraph.NextSibling() {
		if paragraph != note.Body.FirstChild() {
			out.WriteString("<br>")
		}
		if err := w.children(out, paragraph); err != nil {
			return err
		}
	}
	return nil
}

// children renders the inside of a paragraph without the paragraph.
func (w *weaver) children(out util.BufWriter, n ast.Node) error {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if err := w.render.Render(out, w.doc.Source, child); err != nil {
			return err
		}
	}
	return nil
}
