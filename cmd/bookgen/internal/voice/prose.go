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
	woven := alone(doc)
	var all []string
	doc.Walk(func(n ast.Node) bool {
		switch n.Kind() {
		case ast.KindHeading, extast.KindTable, ast.KindFencedCodeBlock, ast.KindCodeBlock:
			return false
		case ast.KindParagraph, ast.KindTextBlock, extast.KindDefinitionTerm:
			if text := strings.TrimSpace(spoken(doc, n)); text != "" && woven[n] == "" {
				all = append(all, text)
			}
			return false
		}
		return true
	})
	return all
}

// alone returns the paragraphs that are nothing but a reference, with its path.
func alone(doc *book.Document) map[ast.Node]string {
	woven := map[ast.Node]string{}
	for _, ref := range doc.References() {
		if ref.Alone {
			woven[ref.Node.Parent()] = ref.Path
		}
	}
	return woven
}

// leadIns counts those of the text itself, and the ones of a single line that stand
// before a listing.
func leadIns(doc *book.Document) (all, found int) {
	const aLine = 15 // words
	woven := alone(doc)
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindParagraph || woven[n] != "" {
			continue
		}
		all++
		next := n.NextSibling()
		if next != nil && strings.HasSuffix(woven[next], ".go") && len(strings.Fields(spoken(doc, n))) <= aLine {
			found++
		}
	}
	return all, found
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
