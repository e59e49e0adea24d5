package book

import (
	"bytes"
	"sort"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"reconcile/internal/source"
)

// Document is Markdown, parsed, that knows which file and lines it is from.
type Document struct {
	File      string
	Part      *Part // the part whose text it is; nil for pages of no chapter and for exercises
	FirstLine int   // of Source in File
	Source    []byte
	Root      ast.Node
	Headings  []Heading
	Notes     []*Note // in the order they are written

	newlines []int // offsets
}

// Parse parses Markdown; the first line of content is the given line of file.
func Parse(file string, content []byte, line int) (*Document, error) {
	doc := read(file, content, line)
	notes := doc.findNotes()
	doc.curveQuotes()
	return doc, source.Join(doc.findHeadings(), notes, doc.refuseHTML(), doc.refuseUndefined(), doc.refuseOpenFences())
}

// read parses Markdown, and demands nothing of it.
func read(file string, content []byte, line int) *Document {
	doc := &Document{File: file, FirstLine: line, Source: content}
	for i, c := range content {
		if c == '\n' {
			doc.newlines = append(doc.newlines, i)
		}
	}
	doc.Root = markdown().Parse(text.NewReader(content))
	return doc
}

// markdown returns the parser of GitHub's dialect without the parts that would
// surprise in a book, and with typographic quotes and dashes. It is made once,
// and keeps nothing of what it parsed.
var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Table, extension.Strikethrough,
			extension.NewTypographer(extension.WithTypographicSubstitutions(map[extension.TypographicPunctuation][]byte{
				extension.EnDash:           nil, // --flag stays as it is
				extension.LeftAngleQuote:   nil,
				extension.RightAngleQuote:  nil,
				extension.LeftSingleQuote:  []byte("‘"),
				extension.RightSingleQuote: []byte("’"),
				extension.LeftDoubleQuote:  []byte("“"),
				extension.RightDoubleQuote: []byte("”"),
				extension.Apostrophe:       []byte("’"),
				extension.EmDash:           []byte("—"),
				extension.Ellipsis:         []byte("…"),
			})),
		),
		goldmark.WithParserOptions(
			parser.WithHeadingAttribute(),
			parser.WithBlockParsers(
				util.Prioritized(extension.NewDefinitionListParser(), 101),
				util.Prioritized(newAnswerParser(), 102),
				util.Prioritized(extension.NewFootnoteBlockParser(), 999),
			),
			parser.WithInlineParsers(util.Prioritized(noteParser{}, 101)),
		),
	).Parser()
})

// Line returns the line in the file of a node, or of the nearest node around
// it that has a place.
func (d *Document) Line(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if fence, ok := n.(*ast.FencedCodeBlock); ok && fence.Info != nil {
			return d.LineAt(fence.Info.Segment.Start)
		} else if ok && fence.Lines().Len() > 0 {
			return d.LineAt(fence.Lines().At(0).Start) - 1
		}
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return d.LineAt(n.Lines().At(0).Start)
		}
		if n.Pos() >= 0 && n.Kind() != ast.KindDocument {
			return d.LineAt(n.Pos())
		}
	}
	return d.FirstLine
}

// LineAt returns the line in the file of an offset in Source.
func (d *Document) LineAt(offset int) int {
	return d.FirstLine + sort.SearchInts(d.newlines, offset)
}

// Walk calls visit for every node of the text and then of its notes, on the way
// in; if visit returns false, Walk leaves out the node's children.
func (d *Document) Walk(visit func(ast.Node) bool) {
	walk(d.Root, visit)
	for _, note := range d.Notes {
		walk(note.Body, visit)
	}
}

func walk(n ast.Node, visit func(ast.Node) bool) {
	if !visit(n) {
		return
	}
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling() // visit may take child out
		walk(child, visit)
		child = next
	}
}

// Text returns the words of a node without any markup.
func (d *Document) Text(n ast.Node) string {
	var b bytes.Buffer
	walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(d.Source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(d.Source))
		}
		return true
	})
	return b.String()
}

// refuseHTML reports raw HTML, which would not be woven. Comments are for
// authors, and are dropped.
func (d *Document) refuseHTML() error {
	var errs []error
	d.Walk(func(n ast.Node) bool {
		var raw []byte
		switch n := n.(type) {
		case *ast.HTMLBlock:
			raw = n.Lines().Value(d.Source)
		case *ast.RawHTML:
			raw = n.Segments.Value(d.Source)
		default:
			return true
		}
		if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<!--")) {
			errs = append(errs, source.At(d.File, d.Line(n), "raw HTML is not woven: write Markdown, or `code`"))
		}
		n.Parent().RemoveChild(n.Parent(), n)
		return true
	})
	return source.Join(errs...)
}
