package weave

import (
	"html/template"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// drill renders an exercise as a room gets it: without its hints, and its answer
// apart.
func (v *volume) drill(c *Chapter, e *exercise.Exercise) (*site.Task, error) {
	p := v.notesPage(c)
	task := &site.Task{
		Number: e.Number, Title: book.Typographic(e.Title), Kind: string(e.Kind),
		Href:    c.cardAddress(e.Number),
		Minutes: e.Minutes, People: e.People, Needs: e.Needs(),
		Statement: template.HTML(p.prose(e, string(e.Statement), e.StatementLine)),
	}
	switch e.Kind {
	case exercise.Write:
		task.Signatures = template.HTML("<pre tabindex=0><code>" + p.signaturesOf(c, e.Functions) + "</code></pre>")
	case exercise.Predict, exercise.Debug:
		task.Given = template.HTML(p.givenRun(e))
	}
	for _, wrong := range e.Wrong {
		if e.Kind != exercise.Debug {
			task.Wrong = append(task.Wrong, site.Slip{Name: book.Typographic(wrong.Name),
				Why: template.HTML(p.prose(e, wrong.Why, wrong.Line+1)), CaughtBy: wrong.CaughtBy})
		}
	}
	for _, wrong := range e.Predictions {
		task.Wrong = append(task.Wrong, site.Slip{Name: book.Typographic(wrong.Name), Why: template.HTML(p.prose(e, wrong.Why, wrong.Line+1))})
	}
	for _, test := range e.Tests {
		task.Tests = append(task.Tests, test.Name)
	}
	task.Answer = template.HTML(p.drillAnswer(e))
	return task, source.Join(p.errs...)
}

// drillAnswer renders the answer of an exercise, open.
func (p *page) drillAnswer(e *exercise.Exercise) string {
	switch e.Kind {
	case exercise.Predict:
		return p.runHTML("Recorded", e.Run.Lines)
	case exercise.Debug:
		return p.prose(e, e.Fault().Why, e.Fault().Line+1)
	case exercise.Extend:
		return p.listed(e)
	case exercise.Design:
		return p.prose(e, string(e.Answer), e.AnswerLine)
	}
	var b strings.Builder
	for _, f := range e.Functions {
		code := &piece{chapter: p.chapter, file: f.File, first: f.Line, last: f.EndLine, runs: lineRuns(f.File, f.Line, f.EndLine, false, false)}
		b.WriteString(code.figure(p))
	}
	return b.String()
}
