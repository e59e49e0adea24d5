package weave

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// A page of a chapter that names its core keeps this pace.
const (
	mostCode       = 110 // open lines of code for 1,000 words that run
	mostOutput     = 90  // lines of output for as many
	longestListing = 25  // lines of code in one
	longestWhole   = 45  // in one whose length is the point, as the page says
	highest        = 25_000
	doubt          = 1_250 // pixels that a height may be wrong by: the tests in a browser measure
)

// Pace says how much code and output a page has for its words.
type Pace struct {
	Part         *book.Part
	Words        int // that run: without tables, and without what is folded
	Code, Output int // open lines
	Longest      int // lines of the longest listing
	Height       int // about how many pixels, at a width of 1,440
	Over         []error
}

// Per returns how many of something there are for 1,000 words.
func (p Pace) Per(lines int) int { return 1000 * lines / max(p.Words, 1) }

// Paces returns those of the chapter's pages, and nil if it names no core. They are
// complete after Read.
func (c *Chapter) Paces() []Pace {
	if len(c.Core) == 0 {
		return nil
	}
	var all []Pace
	for _, part := range c.Parts {
		all = append(all, pace(part, measure(part)))
	}
	return all
}

func pace(part *book.Part, m Measure) Pace {
	p := Pace{Part: part}
	doc := part.Document
	all := extent{}
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.(type) {
		case *extast.Table, *ast.Heading:
		case *extast.DefinitionList: // an answer is folded behind its question
		default:
			all.add(doc, n)
		}
		if b, ok := n.(*block); ok {
			p.add(b)
		}
	}
	p.Words = all.words
	p.Height = p.height(m)
	if part.Annex() { // it is looked into
		return p
	}
	if p.Per(p.Code) > mostCode {
		p.over(doc.FirstLine, "%d lines of code for 1,000 words: more than %d", p.Per(p.Code), mostCode)
	}
	if p.Per(p.Output) > mostOutput {
		p.over(doc.FirstLine, "%d lines of output for 1,000 words: more than %d", p.Per(p.Output), mostOutput)
	}
	if p.Height > highest+doubt {
		p.over(doc.FirstLine, "about %s pixels high: more than %s", thousands(fmt.Sprint(p.Height)), thousands(fmt.Sprint(highest)))
	}
	return p
}

// height estimates how high the page is without its exercises, from what was measured of
// fourteen pages: it was right to one part in twenty.
func (p *Pace) height(m Measure) int {
	return 2000 + 13*m.Words/5 + 23*p.Code + 20*p.Output + 320*m.Shown + 180*len(m.Part.Document.Headings)
}

// add counts a woven element.
func (p *Pace) add(n *block) {
	switch e := n.element.(type) {
	case *piece:
		lines := e.lines()
		p.Code += lines
		p.Longest = max(p.Longest, lines)
		switch {
		case lines > longestWhole:
			p.over(n.line, "a listing of %s: more than %d", lineCount(lines), longestWhole)
		case lines > longestListing && !e.whole:
			p.over(n.line, "a listing of %s: more than %d; if its length is the point, the page says why, and the form is %q",
				lineCount(lines), longestListing, wholeForm)
		}
	case *excerpt:
		p.Code += e.lines()
	case *output:
		p.Output += e.openLines()
	case *transcript:
		p.Output += e.openLines()
	}
}

func (p *Pace) over(line int, format string, args ...any) {
	p.Over = append(p.Over, source.At(p.Part.Document.File, line, format, args...))
}

// Core says how large the core of a chapter is.
type Core struct {
	Chapter            *book.Chapter
	Lines, Files, Most int
	Over               []error
}

// Measured returns the size of the chapter's core, in lines that are not empty.
func (c *Chapter) Measured() Core {
	core := Core{Chapter: c.Chapter, Most: c.CoreLines}
	for _, file := range c.coverage.owed {
		core.Files++
		core.Lines += owed(file)
	}
	if core.Most > 0 && core.Lines > core.Most {
		core.Over = []error{c.frontError("core: %s: book.md says at most %s", lineCount(core.Lines), thousands(fmt.Sprint(core.Most)))}
	}
	return core
}
