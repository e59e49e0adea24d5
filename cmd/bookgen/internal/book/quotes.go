package book

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Typographic turns the straight quotes and apostrophes of a title into those
// of print.
func Typographic(title string) string {
	var b strings.Builder
	before := ' '
	for _, r := range title {
		b.WriteRune(curved(r, before))
		before = r
	}
	return b.String()
}

// curved returns the typographic form of a character behind another: a quote
// opens behind space or an opening bracket, and closes elsewhere.
func curved(r, before rune) rune {
	opens := unicode.IsSpace(before) || strings.ContainsRune("([—–“‘", before)
	switch {
	case r == '\'' && opens:
		return '‘'
	case r == '\'':
		return '’'
	case r == '"' && opens:
		return '“'
	case r == '"':
		return '”'
	}
	return r
}

// curveQuotes mends the quotes that goldmark's typographer leaves straight
// because it finds no partner for them: the apostrophe of "Kubernetes' own".
func (d *Document) curveQuotes() {
	d.Walk(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CodeSpan:
			return false
		case *ast.Text:
			if !n.IsRaw() {
				d.curveText(n)
			}
		}
		return true
	})
}

// curveText cuts the text at its first straight quote: the text before, the
// quote, and the rest, in which it goes on.
func (d *Document) curveText(n *ast.Text) {
	at := strings.IndexAny(string(n.Segment.Value(d.Source)), `'"`)
	if at < 0 {
		return
	}
	at += n.Segment.Start
	if d.Source[at-min(at, 1)] == '\\' { // escaped: it is meant to be straight
		return
	}
	before, _ := utf8.DecodeLastRune(d.Source[:at])
	quote := ast.NewString([]byte(string(curved(rune(d.Source[at]), before))))
	quote.SetCode(true)
	rest := ast.NewTextSegment(text.NewSegment(at+1, n.Segment.Stop))
	rest.SetSoftLineBreak(n.SoftLineBreak())
	rest.SetHardLineBreak(n.HardLineBreak())
	n.SetSoftLineBreak(false)
	n.SetHardLineBreak(false)
	n.Segment = n.Segment.WithStop(at)
	n.Parent().InsertAfter(n.Parent(), n, quote)
	n.Parent().InsertAfter(n.Parent(), quote, rest)
	d.curveText(rest)
}
