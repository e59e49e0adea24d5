package weave

import (
	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// drill renders an exercise as a room gets it: without its hints, and its answer
// apart.
func (v *volume) drill(c *Chapter, e *exercise.Exercise) (*site.Task, error) {
	p := v.notesPage(c)
	task := &site.Task{
		Number: e.Number, Title: book.Typographic(e.Title), Kind: string(e.Kind),
		Href:    c.CardAddress(e.Number),
		Minutes: e.Minutes, People: e.People, Needs: e.Needs(),
		Statement: p.prose(e, string(e.Statement), e.StatementLine),
	}
	switch e.Kind {
	case exercise.Write:
		task.Signatures = node.List{p.signaturesOf(c.Chapter.Chapter, e.Functions)}
	case exercise.Predict, exercise.Debug:
		task.Given = node.List{givenRun(e)}
	}
	for _, wrong := range e.Wrong {
		if e.Kind != exercise.Debug {
			task.Wrong = append(task.Wrong, site.Slip{Name: book.Typographic(wrong.Name),
				Why: p.prose(e, wrong.Why, wrong.Line+1), CaughtBy: wrong.CaughtBy})
		}
	}
	for _, wrong := range e.Predictions {
		task.Wrong = append(task.Wrong, site.Slip{Name: book.Typographic(wrong.Name), Why: p.prose(e, wrong.Why, wrong.Line+1)})
	}
	for _, test := range e.Tests {
		task.Tests = append(task.Tests, test.Name)
	}
	task.Answer = p.drillAnswer(e)
	return task, source.Join(p.errs...)
}

// drillAnswer renders the answer of an exercise, open.
func (p *page) drillAnswer(e *exercise.Exercise) node.List {
	switch e.Kind {
	case exercise.Predict:
		return node.List{runNode("Recorded", e.Run.Lines)}
	case exercise.Debug:
		return p.prose(e, e.Fault().Why, e.Fault().Line+1)
	case exercise.Extend:
		return node.List{p.listed(e)}
	case exercise.Design:
		return p.prose(e, string(e.Answer), e.AnswerLine)
	}
	var all node.List
	for _, f := range e.Functions {
		answer := code{&snippet.Piece{Chapter: p.chapter.Chapter.Chapter, File: f.File, First: f.Line, Last: f.EndLine, Runs: snippet.LineRuns(f.File, f.Line, f.EndLine, false, false)}}
		all = append(all, answer.figure(p))
	}
	return all
}
