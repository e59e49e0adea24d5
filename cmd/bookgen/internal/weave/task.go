package weave

import (
	"fmt"
	"strings"

	"reconcile/internal/exercise"
)

// kindOf returns a card's first words: the kind of task, and how long it takes.
func kindOf(e *exercise.Exercise) string {
	return map[exercise.Kind]string{
		exercise.Predict: "predict a run · ",
		exercise.Debug:   "find the fault · ",
		exercise.Extend:  "write one of your own · ",
		exercise.Design:  "think · ",
	}[e.Kind] + e.Span.String()
}

// task returns the text between the statement and the hints: all that is given,
// and how to begin.
func (c *card) task(p *page) string {
	e := c.exercise
	switch e.Kind {
	case exercise.Predict:
		return givenRun(e) + "<div class=judged>Judged by the recording of a run</div>" + try(e)
	case exercise.Debug:
		return givenRun(e) + c.judged(p) + try(e)
	case exercise.Extend:
		return c.judged(p) + try(e)
	case exercise.Design:
		return ""
	}
	return "<div class=signature><pre tabindex=0><code>" + p.signaturesOf(c.chapter, e.Functions) + "</code></pre></div>" +
		c.judged(p) + try(e)
}

// judged returns the markup of which tests judge.
func (c *card) judged(p *page) string {
	by := "tests of its own, in " + escaped(c.exercise.Path(""))
	if !c.exercise.Apart() {
		by = c.judges(p)
	}
	return "<div class=judged>Judged by " + by + "</div>"
}

// givenRun returns the markup of what is given of a run.
func givenRun(e *exercise.Exercise) string {
	if e.Kind == exercise.Predict {
		return runHTML("Given", e.Run.Lines[:e.Run.Given])
	}
	return runHTML("What it does", strings.Split(strings.TrimRight(string(e.Run.Text), "\n"), "\n"))
}

func try(e *exercise.Exercise) string {
	return fmt.Sprintf("<div class=try><pre tabindex=0><kbd>go run ./cmd/lab exercise start %s</kbd>\n<kbd>go run ./cmd/lab exercise test %s</kbd></pre></div>",
		e.Number, e.Number)
}

// runHTML returns the markup of lines of a recording.
func runHTML(caption string, lines []string) string {
	return fmt.Sprintf("<figure class=output><figcaption>%s</figcaption><pre tabindex=0><samp>%s</samp></pre></figure>",
		caption, escaped(strings.Join(lines, "\n")))
}

// inPlace returns the link to where its chapter has the answer, if it does.
func (c *card) inPlace(p *page) string {
	pieces := c.chapter.answers[c.exercise.Number]
	if len(pieces) == 0 {
		return ""
	}
	return fmt.Sprintf("<p class=to-answer><a href=%s>The answer, in its place</a></p>", p.at(pieces[0], "answer-"+c.exercise.Number))
}
