package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
)

const wordsPerMinute = 200

// length counts the words of the prose, and the minutes that they take.
func length(doc *book.Document) (words, minutes int) {
	texts := blockTexts(doc, doc.Root)
	for _, note := range doc.Notes {
		texts = append(texts, blockTexts(doc, note.Body)...)
	}
	for _, text := range texts {
		words += len(strings.Fields(text))
	}
	return words, (words + wordsPerMinute - 1) / wordsPerMinute
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
