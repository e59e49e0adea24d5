package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
)

// length counts the words of the prose, and the lines beside them that are to
// be read with it: of code, and of output.
func length(doc *book.Document) (words, lines int) {
	texts := blockTexts(doc, doc.Root)
	for _, note := range doc.Notes {
		texts = append(texts, blockTexts(doc, note.Body)...)
	}
	for _, text := range texts {
		words += len(strings.Fields(text))
	}
	doc.Walk(func(n ast.Node) bool {
		if b, ok := n.(*block); ok {
			if open, ok := b.element.(interface{ openLines() int }); ok {
				lines += open.openLines()
			}
		}
		return true
	})
	return words, lines
}

// openLines counts the lines that are not folded.
func (c *piece) openLines() int {
	if c.fold != nil || len(c.answers) > 0 {
		return 0
	}
	return c.lines()
}

func (e *excerpt) openLines() int    { return e.lines() }
func (o *output) openLines() int     { return len(o.lines) }
func (t *transcript) openLines() int { return len(t.lines()) }

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
