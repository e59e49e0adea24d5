package weave

import (
	"fmt"
	"strings"

	"reconcile/internal/exercise"
	"reconcile/internal/source"
	"reconcile/internal/words"
)

// taskOf has the words for what an exercise asks for, if it isn't a function of the
// chapter.
var taskOf = map[exercise.Kind]string{
	exercise.Predict: "predict a run · ",
	exercise.Debug:   "find the fault · ",
	exercise.Extend:  "write one of your own · ",
	exercise.Design:  "think · ",
}

// kindOf returns the first words of an exercise: the kind of task, how hard it is,
// and how long it takes.
func kindOf(e *exercise.Exercise) string {
	return taskOf[e.Kind] + string(e.Difficulty) + " · " + e.Span.String()
}

// files returns links to the files of the chapter that hold the functions to
// write.
func (p *page) files(e *exercise.Exercise) []string {
	var links []string
	var before *source.File
	if e.Kind != exercise.Write {
		return nil
	}
	for _, f := range e.Functions {
		if f.File != before {
			links = append(links, fmt.Sprintf("<a href=%s>%s</a>", p.to(p.chapter)+p.chapter.listingHref(f.File, f.Line), p.chapter.name(f.File)))
		}
		before = f.File
	}
	return links
}

// task returns the text between the statement and the hints: all that is given,
// and how to begin.
func (p *page) task(e *exercise.Exercise) string {
	switch e.Kind {
	case exercise.Predict:
		return p.givenRun(e) + "<div class=judged>Judged by the recording of a run</div>" + try(e)
	case exercise.Debug:
		return p.givenRun(e) + p.judged(e) + try(e)
	case exercise.Extend:
		return p.judged(e) + try(e)
	case exercise.Design:
		return ""
	}
	return "<div class=signature><pre tabindex=0><code>" + p.signaturesOf(p.chapter, e.Functions) + "</code></pre></div>" +
		p.judged(e) + try(e)
}

// judged returns the markup of which tests judge.
func (p *page) judged(e *exercise.Exercise) string {
	by := "tests of its own, in " + escaped(e.Path(""))
	if !e.Apart() {
		var links []string
		for _, test := range e.Tests {
			links = append(links, p.testLink(test, test.Name))
		}
		by = words.List(links)
	}
	return "<div class=judged>Judged by " + by + "</div>"
}

func (p *page) testLink(test *source.Decl, name string) string {
	return fmt.Sprintf("<a href=%s><code>%s</code></a>", p.to(p.chapter)+p.chapter.listingHref(test.File, test.Line), escaped(name))
}

// givenRun returns the markup of what is given of a run.
func (p *page) givenRun(e *exercise.Exercise) string {
	if e.Kind == exercise.Predict {
		return p.runHTML("Given", e.Run.Lines[:e.Run.Given])
	}
	return p.runHTML("What it does", strings.Split(strings.TrimRight(string(e.Run.Text), "\n"), "\n"))
}

func try(e *exercise.Exercise) string {
	return fmt.Sprintf("<div class=try><pre tabindex=0><kbd>go run ./cmd/lab exercise start %s</kbd>\n<kbd>go run ./cmd/lab exercise test %s</kbd></pre></div>",
		e.Number, e.Number)
}

// runHTML returns the markup of lines of a recording.
func (p *page) runHTML(caption string, lines []string) string {
	return fmt.Sprintf("<figure class=output><figcaption>%s</figcaption><pre tabindex=0><samp>%s</samp></pre></figure>",
		caption, p.printed(lines))
}

// inPlace returns the link to where its chapter has the answer, if it does.
func (p *page) inPlace(e *exercise.Exercise) string {
	pieces := p.chapter.answers[e.Number]
	if len(pieces) == 0 {
		return ""
	}
	return fmt.Sprintf("<p class=to-answer><a href=%s>The answer, in its place</a></p>", p.at(pieces[0], "answer-"+e.Number))
}
