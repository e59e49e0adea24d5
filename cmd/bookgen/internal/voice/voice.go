// Package voice counts, in running prose, the words that an editor looks for.
// There is no right number: a person who reads aloud judges.
package voice

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
)

var signs = [...]struct {
	name  string
	match *regexp.Regexp
}{
	{"it", regexp.MustCompile(`(?i)\bit\b`)},
	{"one", regexp.MustCompile(`(?i)\bones?\b`)},
	{"what", regexp.MustCompile(`(?i)\bwhat\b`)},
	{"negations", regexp.MustCompile(`(?i)\b(?:no|not|nor|none|never|neither|nobody|nowhere|cannot|\w+n’t)\b`)},
	{"nothing", regexp.MustCompile(`(?i)\bnothing\b`)},
	{"contractions", regexp.MustCompile(`(?i)\b(?:\w+n’t|\w+’(?:re|ve|ll|m|d)|` +
		`(?:it|that|there|here|what|who|where|how|let|he|she|nothing|everything)’s)\b`)},
}

// Voice holds the counts of a text with a name.
type Voice struct {
	Name  string
	Words int
	Signs [len(signs)]int // of it, one, what, negations, nothing, contractions
}

// Add counts in the prose of a document.
func (v *Voice) Add(doc *book.Document) {
	for _, text := range prose(doc) {
		v.Words += len(strings.Fields(text))
		for i, sign := range signs {
			v.Signs[i] += len(sign.match.FindAllString(text, -1))
		}
	}
}

// Write prints texts beside each other, per 1,000 words.
func Write(out io.Writer, texts []Voice) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(head string, cell func(v Voice) string) {
		fmt.Fprint(table, head)
		for _, v := range texts {
			fmt.Fprint(table, "\t", cell(v))
		}
		fmt.Fprintln(table, "\t")
	}
	line("per 1,000 words", func(v Voice) string { return v.Name })
	for i, sign := range signs {
		line(sign.name, func(v Voice) string {
			return fmt.Sprintf("%.1f", 1000*float64(v.Signs[i])/float64(max(v.Words, 1)))
		})
	}
	line("words", func(v Voice) string { return fmt.Sprint(v.Words) })
	return table.Flush()
}

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
			if !woven[n] {
				all = append(all, spoken(doc, n))
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
