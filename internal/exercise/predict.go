package exercise

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/source"
)

const leastPredictions = 2

// A WrongPrediction is one that people really make.
type WrongPrediction struct {
	Name  string
	At    int      // the line at which it parts from the run
	Lines []string // its lines from there on
	Why   string   // Markdown: why it is not so
	Line  int      // of the heading
}

// partsAt matches the sentence that begins a wrong prediction.
var partsAt = regexp.MustCompile(`(?s)^Parts at line ([1-9][0-9]*)\.(.*)$`)

// parsePredictions reads the predictions that parting readers make, one under
// each ### heading.
func (e *Exercise) parsePredictions(s section) error {
	_, sections := s.body.sections("### ")
	var errs []error
	for _, wrong := range sections {
		prose, text, err := wrong.code("text")
		match := partsAt.FindStringSubmatch(prose)
		switch {
		case err != nil:
			errs = append(errs, err)
			continue
		case match == nil:
			errs = append(errs, s.body.problem(wrong.line, "a wrong prediction begins with: Parts at line 3."))
			continue
		}
		at, _ := strconv.Atoi(match[1])
		e.Predictions = append(e.Predictions, WrongPrediction{
			Name: wrong.title, At: at, Lines: linesOf(text.text()),
			Why: strings.TrimSpace(match[2]), Line: wrong.line,
		})
	}
	if len(sections) < leastPredictions {
		errs = append(errs, s.body.problem(s.line, "%d wrong predictions; an exercise has two or more", len(sections)))
	}
	return source.Join(errs...)
}

// checkPredictions compares them with the run.
func (e *Exercise) checkPredictions() error {
	if e.Run.Given < 1 || e.Run.Given >= len(e.Run.Lines) {
		return source.At(e.File, 1, "%d lines are given of the %d of exercises/%s.txt", e.Run.Given, len(e.Run.Lines), e.Number)
	}
	var errs []error
	for _, p := range e.Predictions {
		if p.At <= e.Run.Given || p.At > len(e.Run.Lines)+1 {
			errs = append(errs, source.At(e.File, p.Line, "%q parts at line %d; %d of %d lines are given",
				p.Name, p.At, e.Run.Given, len(e.Run.Lines)))
			continue
		}
		told := append(slices.Clone(e.Run.Lines[:p.At-1]), p.Lines...)
		c := e.Compare(strings.Join(told, "\n"))
		if len(p.Lines) == 0 || c.Right != p.At-1 || c.Passed() {
			errs = append(errs, source.At(e.File, p.Line, "%q is as the run is at line %d", p.Name, p.At))
		}
	}
	return source.Join(errs...)
}

// A Comparison says how far a prediction goes with the run.
type Comparison struct {
	Right, Of int    // lines
	Says      string // the next line of the prediction; "": it ends there
	Runs      string // the next line of the run; "": that ends there
	Why       *WrongPrediction
}

// Passed reports whether the prediction is the run.
func (c Comparison) Passed() bool { return c.Says == c.Runs }

// Compare compares a prediction with the run, line by line. Neither comments nor
// the number of spaces between words matter.
func (e *Exercise) Compare(prediction string) Comparison {
	said := linesOf(prediction)
	c := Comparison{Of: len(e.Run.Lines)}
	for c.Right < min(len(said), c.Of) && sameLine(said[c.Right], e.Run.Lines[c.Right]) {
		c.Right++
	}
	if c.Right < len(said) {
		c.Says = said[c.Right]
	}
	if c.Right < c.Of {
		c.Runs = e.Run.Lines[c.Right]
	}
	for i, p := range e.Predictions {
		if p.At == c.Right+1 && c.Says != "" && sameLine(p.Lines[0], c.Says) {
			c.Why = &e.Predictions[i]
		}
	}
	return c
}

func sameLine(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// String returns the words for a reader.
func (c Comparison) String() string {
	line := c.Right + 1
	switch {
	case c.Passed():
		return fmt.Sprintf("All %d lines are as in the run.", c.Of)
	case c.Says == "":
		return fmt.Sprintf("%d of %d lines are as in the run, and it goes on.", c.Right, c.Of)
	case c.Runs == "":
		return fmt.Sprintf("Line %d: you say %q, and the run is over.", line, c.Says)
	}
	return fmt.Sprintf("Line %d: you say %q, the run says %q.", line, c.Says, c.Runs)
}

// Sheet returns the file that a prediction is written into: the question, and
// the lines that are given.
func (e *Exercise) Sheet() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Exercise %s, %s\n#\n", e.Number, e.Title)
	for line := range strings.Lines(string(e.Statement)) {
		b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	fmt.Fprintf(&b, "#\n# A line for each thing that happens, below those that are given. Then:\n# go run ./cmd/lab exercise test %s\n\n", e.Number)
	for _, line := range e.Run.Lines[:e.Run.Given] {
		b.WriteString(line + "\n")
	}
	return []byte(b.String())
}
