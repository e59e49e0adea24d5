package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
)

// extent is how much there is to read: words of prose, and the lines beside
// them that are to be read with it, of code and of output.
type extent struct{ words, lines int }

// length returns the extent of a text.
func length(doc *book.Document) (words, lines int) {
	for _, e := range extents(doc) {
		words += e.words
		lines += e.lines
	}
	return words, lines
}

// extents returns the extent of what stands below each heading up to the next,
// by the heading's id, with the notes that are called there and with the
// heading. What stands above the first has no id.
func extents(doc *book.Document) map[string]extent {
	all := map[string]extent{}
	var id string
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			set, _ := heading.AttributeString("id")
			id = string(set.([]byte))
		}
		e := all[id]
		e.add(doc, n)
		all[id] = e
	}
	return all
}

func (e *extent) add(doc *book.Document, n ast.Node) {
	for _, text := range blockTexts(doc, n) {
		e.words += len(strings.Fields(text))
	}
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns no error of its own
		switch n := n.(type) {
		case *prose.Block:
			if open, ok := n.Element.(open); ok && entering {
				e.lines += open.openLines()
			}
		case *book.NoteCall:
			if entering && n.Note != nil {
				e.add(doc, n.Note.Body)
			}
		}
		return ast.WalkContinue, nil
	})
}

// blockTexts keeps the words of neighbouring blocks apart.
func blockTexts(doc *book.Document, n ast.Node) []string {
	if n.Type() == ast.TypeInline || n.FirstChild() == nil || n.FirstChild().Type() == ast.TypeInline {
		return []string{doc.Text(n)}
	}
	var texts []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		texts = append(texts, blockTexts(doc, child)...)
	}
	return texts
}
