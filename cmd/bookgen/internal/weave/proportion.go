package weave

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// A chapter keeps these proportions between code to be read and other code.
const (
	leastOpen   = 45   // of a hundred woven lines
	longestFold = 120  // lines in one, in a part that is read through
	mostAnnex   = 1300 // woven lines of one
)

// Proportion says how much of a chapter's code is to be read: how many woven
// lines stand open, are folded, and are in an annex; and how many lines of how
// many packages are given.
type Proportion struct {
	Chapter             *book.Chapter
	Open, Folded, Annex int
	Given, Packages     int
	Over                []error
}

// Woven returns how many lines the chapter's pages show.
func (p Proportion) Woven() int { return p.Open + p.Folded + p.Annex }

// Share returns how many of a hundred woven lines stand open.
func (p Proportion) Share() int { return 100 * p.Open / max(p.Woven(), 1) }

// Proportion returns the chapter's; it is complete after Read.
func (c *Chapter) Proportion() Proportion {
	p := Proportion{Chapter: c.Chapter, Packages: len(c.given)}
	for given := range c.given {
		p.Given += given.lines()
	}
	for _, part := range c.Parts {
		others := p.Annex
		part.Document.Walk(func(n ast.Node) bool {
			if b, ok := n.(*block); ok {
				if shown, ok := b.element.(*piece); ok && !shown.file.Test {
					p.add(part, shown, b.line)
				}
			}
			return true
		})
		if annex := p.Annex - others; annex > mostAnnex {
			p.over(part, part.Document.FirstLine, "%s in the annex: more than %s", lineCount(annex), thousands(strconv.Itoa(mostAnnex)))
		}
	}
	if p.Share() < leastOpen && p.Woven() > 0 {
		p.over(c.Parts[0], 1, "%d of 100 of its %s stand open: fewer than %d", p.Share(), lineCount(p.Woven()), leastOpen)
	}
	return p
}

// add adds a piece that stands in a part at a line.
func (p *Proportion) add(part *book.Part, shown *piece, line int) {
	lines := shown.ownLines()
	switch {
	case part.Annex():
		p.Annex += lines
	case shown.fold == nil:
		p.Open += lines
	default:
		p.Folded += lines
		if hidden := shown.lines(); shown.fold != nil && hidden > longestFold {
			p.over(part, line, "%s in one fold: more than %d", lineCount(hidden), longestFold)
		}
	}
}

func (p *Proportion) over(part *book.Part, line int, format string, args ...any) {
	p.Over = append(p.Over, source.At(part.Document.File, line, format, args...))
}

// ownLines counts the lines that no other piece of the chapter shows. Among
// them are the lines around the piece, if it is the first to show them, and the
// head of its file likewise.
func (c *piece) ownLines() int {
	count := 0
	for _, r := range append(c.head, c.runs...) {
		if !r.owned {
			continue
		}
		for line := range strings.Lines(string(c.file.Content[r.start:r.end])) {
			if strings.TrimSpace(line) != "" {
				count++
			}
		}
	}
	return count
}
