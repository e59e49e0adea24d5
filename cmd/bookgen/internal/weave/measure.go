package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// A part that holds no more than this can be read at one sitting.
const (
	mostOpenLines = 1500 // of code
	longestRun    = 60   // lines of open code without a sentence in between
	longestTalk   = 900  // words without a figure or other element to look at
	mostWords     = 6000
)

// Measure says how much a part holds.
type Measure struct {
	Part         *book.Part
	Words        int
	Open, Folded int // lines of code
	Shown        int // figures, transcripts, captured outputs, tables
	Over         []error
	Advice       string // about its length, or empty
}

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
	m.endRun()
	m.endTalk()
	if m.Open > mostOpenLines {
		m.over(m.doc.FirstLine, "%s open lines of code: more than %s", thousands(fmt.Sprint(m.Open)), thousands(fmt.Sprint(mostOpenLines)))
	}
	m.Words, _ = length(m.doc)
	if m.Words > mostWords {
		m.Advice = fmt.Sprintf("more than %s words", thousands(fmt.Sprint(mostWords)))
	}
	return m.Measure
}

// measuring goes through a part from its first block to its last.
type measuring struct {
	Measure
	doc  *book.Document
	run  stretch // of open code, in lines
	talk stretch // of text, in words
}

// stretch says how much there was of one thing without another, from the line
// of its first block to that of its last.
type stretch struct{ size, first, last int }

func (s *stretch) add(size, line int) {
	if s.size == 0 {
		s.first = line
	}
	s.size += size
	s.last = line
}

func (m *measuring) node(n ast.Node) {
	switch n := n.(type) {
	case *block:
		m.element(n)
	case *ast.Heading:
		if n.Level > 1 {
			m.talk.add(m.words(n), m.doc.Line(n))
		}
	case *extast.Table:
		m.look()
		m.endRun()
	case *extast.DefinitionList:
		m.endRun()
		m.talk.add(m.words(n), m.doc.Line(n))
		m.inFolds(n)
	default:
		m.endRun()
		m.talk.add(m.words(n), m.doc.Line(n))
	}
}

// element measures a woven element.
func (m *measuring) element(n *block) {
	switch e := n.element.(type) {
	case *piece:
		if e.fold != nil {
			m.Folded += e.lines()
			return
		}
		m.Open += e.lines()
		m.run.add(e.lines(), n.line)
	case *excerpt:
		m.Open += e.lines()
		m.run.add(e.lines(), n.line)
	case *drawing, *transcript, *output:
		m.look()
		m.endRun()
	case *card, *given:
		m.endRun()
	}
}

// inFolds counts the code in answers.
func (m *measuring) inFolds(list ast.Node) {
	for answer := list.FirstChild(); answer != nil; answer = answer.NextSibling() {
		for n := answer.FirstChild(); n != nil; n = n.NextSibling() {
			if b, ok := n.(*block); ok {
				if e, ok := b.element.(*piece); ok {
					m.Folded += e.lines()
				}
			}
		}
	}
}

// look begins a stretch of text behind an element to look at.
func (m *measuring) look() {
	m.Shown++
	m.endTalk()
}

func (m *measuring) endTalk() {
	if m.talk.size > longestTalk {
		m.readThrough(m.talk, "words without a figure, a transcript, a table or a run", longestTalk)
	}
	m.talk = stretch{}
}

func (m *measuring) endRun() {
	if m.run.size > longestRun {
		m.readThrough(m.run, "lines of open code without a sentence between them", longestRun)
	}
	m.run = stretch{}
}

// readThrough reports a stretch, but for an annex, which is not read through.
func (m *measuring) readThrough(s stretch, of string, most int) {
	if !m.Part.Annex() {
		m.over(s.first, "%s %s, to line %d: more than %d", thousands(fmt.Sprint(s.size)), of, s.last, most)
	}
}

func (m *measuring) over(line int, format string, args ...any) {
	m.Over = append(m.Over, source.At(m.doc.File, line, format, args...))
}

func (m *measuring) words(n ast.Node) int {
	count := 0
	for _, text := range blockTexts(m.doc, n) {
		count += len(strings.Fields(text))
	}
	return count
}

// lines counts the lines of a file that are not empty.
func (e *excerpt) lines() int {
	count := 0
	for line := range strings.Lines(strings.Join(e.code, "\n")) {
		if strings.TrimSpace(line) != "" {
			count++
		}
	}
	return count
}

const questions = "what-you-can-now-explain"

// closing lists the sections that a chapter ends with, by their ids.
var closing = []book.Heading{
	{ID: "ours-and-kubernetes", Title: "Ours and Kubernetes'"},
	{ID: "exercises", Title: "Exercises"},
	{ID: questions, Title: "What you can now explain"},
}

// Closing reports the closing sections that the chapter's last part lacks: of one that
// names its core, the questions. Annexes come behind them.
func (c *Chapter) Closing() error {
	last := c.Parts[0]
	for _, part := range c.Parts {
		if !part.Annex() {
			last = part
		}
	}
	var errs []error
	for _, want := range closing {
		if len(c.Core) > 0 && want.ID != questions {
			continue
		}
		if !slices.ContainsFunc(last.Document.Headings, func(h book.Heading) bool { return h.Level == 2 && h.ID == want.ID }) {
			errs = append(errs, source.At(last.Document.File, last.Document.FirstLine, "the chapter does not close with a section `## %s`", want.Title))
		}
	}
	return source.Join(errs...)
}
