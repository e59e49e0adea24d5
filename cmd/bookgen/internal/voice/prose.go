package voice

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
)

// prose returns the paragraphs of a document and of its notes: no headings, no
// tables, no code, and no references that become something else.
func prose(doc *book.Document) []string {
	woven := map[ast.Node]bool{}
	for _, ref := range doc.References() {
		if ref.Alone {
			woven[ref.Node.Parent()] = true
		}
	}
	var all []string
	doc.Walk(func(n ast.Node) bool {
		switch n.Kind() {
		case ast.KindHeading, extast.KindTable, ast.KindFencedCodeBlock, ast.KindCodeBlock:
			return false
		case ast.KindParagraph, ast.KindTextBlock, extast.KindDefinitionTerm:
			if text := strings.TrimSpace(spoken(doc, n)); text != "" && !woven[n] {
				all = append(all, text)
			}
			return false
		}
		return true
	})
	return all
}

// spoken returns a paragraph as it is read aloud: code in it is a word.
func spoken(doc *book.Document, n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.CodeSpan:
			b.WriteString("x")
		case *ast.Text:
			b.WriteString(doc.Text(child))
		case *ast.String:
			b.Write(child.Value)
		default:
			b.WriteString(spoken(doc, child))
		}
	}
	return b.String()
}
