package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// A page keeps these measures.
const (
	mostCode       = 110 // open lines of code for 1,000 words that run
	mostOutput     = 90  // lines of output for as many
	longestListing = 25  // lines of code in one
	longestWhole   = 45  // in one whose length is the point
	longestProgram = 100 // in a program, its main included, that is read as a whole
	longestTalk    = 900 // words without a figure or other element to look at
	highest        = 25_000
	doubt          = 1_250 // pixels that a height may be wrong by: the tests in a browser measure
	mostWords      = 6000
)

// Measure says how much a part holds.
type Measure struct {
	Part         *book.Part
	Words        int
	Running      int // words without tables, without headings, and without what is folded
	Code, Output int // open lines
	Longest      int // lines of the longest listing
	Shown        int // figures, transcripts, captured outputs, tables
	Height       int // about how many pixels, at a width of 1,440
	Over         []error
	Advice       string // about its length, or empty
}

// Per returns how many of something there are for 1,000 running words.
func (m Measure) Per(lines int) int { return 1000 * lines / max(m.Running, 1) }

// Measures returns the measures of the chapter's parts. They are complete after
// Read.
func (c *Chapter) Measures() []Measure {
	var all []Measure
	for _, part := range c.Parts {
		all = append(all, measure(part))
	}
	return all
}

func measure(part *book.Part) Measure {
	m := measuring{Measure: Measure{Part: part}, doc: part.Document}
	for n := m.doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		m.node(n)
	}
	m.endTalk()
	m.Words, _ = length(m.doc)
	m.Running = m.running.words
	m.Height = m.height()
	if m.Words > mostWords {
		m.Advice = fmt.Sprintf("more than %s words", snippet.Thousands(fmt.Sprint(mostWords)))
	}
	if !part.Compared() { // which is looked into
		m.pace()
	}
	return m.Measure
}

// measuring goes through a part from its first block to its last.
type measuring struct {
	Measure
	doc     *book.Document
	talk    stretch // of text
	running extent
	folded  int // words
}

// stretch says how many words there were without anything else to look at, from the
// line of the first block to that of the last.
type stretch struct{ words, first, last int }

func (m *measuring) node(n ast.Node) {
	switch n := n.(type) {
	case *prose.Block:
		if e, ok := n.Element.(measured); ok {
			e.measure(m, n.Line)
		}
	case *extast.Table:
		m.look()
	case *ast.Heading:
		if n.Level > 1 {
			m.tell(n)
		}
	case *extast.DefinitionList: // an answer is folded behind its question
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if child.Kind() == extast.KindDefinitionTerm {
				m.tell(child)
			} else {
				m.folded += len(strings.Fields(strings.Join(blockTexts(m.doc, child), " ")))
			}
		}
	default:
		m.tell(n)
		m.running.add(m.doc, n)
	}
}

// printed adds lines of output.
func (m *measuring) printed(lines int) {
	m.Output += lines
	m.look()
}

// tell adds a block to the stretch of text.
func (m *measuring) tell(n ast.Node) {
	if m.talk.words == 0 {
		m.talk.first = m.doc.Line(n)
	}
	for _, text := range blockTexts(m.doc, n) {
		m.talk.words += len(strings.Fields(text))
	}
	m.talk.last = m.doc.Line(n)
}

// look begins a stretch of text behind an element to look at.
func (m *measuring) look() {
	m.Shown++
	m.endTalk()
}

func (m *measuring) endTalk() {
	if s := m.talk; s.words > longestTalk && !m.Part.Compared() {
		m.over(s.first, "%s words without a figure, a transcript, a table or a run, to line %d: more than %d",
			snippet.Thousands(fmt.Sprint(s.words)), s.last, longestTalk)
	}
	m.talk = stretch{}
}

// height estimates how high the page is without its exercises, from what was measured of
// fourteen pages: it was right to one part in twenty.
func (m *measuring) height() int {
	return 2000 + 13*(m.Words-m.folded)/5 + 23*m.Code + 20*m.Output + 320*m.Shown + 180*len(m.doc.Headings)
}

// pace reports how much code and output the page has for its words.
func (m *measuring) pace() {
	if per := m.Per(m.Code); per > mostCode {
		m.over(m.doc.FirstLine, "%d lines of code for 1,000 words: more than %d", per, mostCode)
	}
	if per := m.Per(m.Output); per > mostOutput {
		m.over(m.doc.FirstLine, "%d lines of output for 1,000 words: more than %d", per, mostOutput)
	}
	if m.Height > highest+doubt {
		m.over(m.doc.FirstLine, "about %s pixels high: more than %s", snippet.Thousands(fmt.Sprint(m.Height)), snippet.Thousands(fmt.Sprint(highest)))
	}
}

func (m *measuring) over(line int, format string, args ...any) {
	m.Over = append(m.Over, source.At(m.doc.File, line, format, args...))
}

// Closing reports that the last part on the way through the book does not close with
// the questions.
func (c *Chapter) Closing() error {
	const title = "What you can now explain"
	last := c.Parts[0]
	for _, part := range c.Parts {
		if !part.Compared() && !part.Beneath {
			last = part
		}
	}
	if slices.ContainsFunc(last.Document.Headings, func(h book.Heading) bool { return h.Level == 2 && h.Title == title }) {
		return nil
	}
	return source.At(last.Document.File, last.Document.FirstLine, "the chapter does not close with a section `## %s`", title)
}
