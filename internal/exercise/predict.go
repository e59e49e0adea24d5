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
	for i, line := range e.Run.Lines {
		if name, _ := e.row(line); name == "" && e.Run.Rows {
			errs = append(errs, source.At(e.File, 1, "rows: line %d of exercises/%s.txt has no name, and two spaces behind it", i+1, e.Number))
		}
	}
	for _, p := range e.Predictions {
		if p.At <= e.Run.Given || p.At > len(e.Run.Lines)+1 {
			errs = append(errs, source.At(e.File, p.Line, "%q parts at line %d; %d of %d lines are given",
				p.Name, p.At, e.Run.Given, len(e.Run.Lines)))
			continue
		}
		told := append(slices.Clone(e.Run.Lines[:p.At-1]), p.Lines...)
		differs := func(d Difference) bool { return d.Line == p.At && d.Says != "" }
		if !slices.ContainsFunc(e.Compare(strings.Join(told, "\n")).Differ, differs) {
			errs = append(errs, source.At(e.File, p.Line, "%q is as the run is at line %d", p.Name, p.At))
		}
	}
	return source.Join(errs...)
}

// A Comparison says how far a prediction goes with the run.
type Comparison struct {
	Right, Of int // lines
	Differ    []Difference
	Why       *WrongPrediction
}

// A Difference is a line that is another in the run. Of events only the first is
// one: with it the prediction is about another world.
type Difference struct {
	Line int
	Row  string // its name, if it has one
	Says string // by the prediction; "": nothing
	Runs string // by the run; "": that is over
}

// Passed reports whether the prediction is the run.
func (c Comparison) Passed() bool { return len(c.Differ) == 0 }

// Compare compares a prediction with the run, line by line. Neither comments nor
// the number of spaces between words, or around a sign, matter, nor what rows are
// called.
func (e *Exercise) Compare(prediction string) Comparison {
	said := linesOf(prediction)
	c := Comparison{Of: len(e.Run.Lines)}
	for i := range max(len(said), c.Of) {
		d := Difference{Line: i + 1}
		if i < c.Of {
			d.Row, d.Runs = e.row(e.Run.Lines[i])
		}
		if i < len(said) {
			d.Says = valueOf(said[i], d.Row)
		}
		if i < c.Of && sameLine(d.Says, d.Runs) {
			c.Right++
			continue
		}
		c.Differ = append(c.Differ, d)
		if !e.Run.Rows {
			break
		}
	}
	for i, p := range e.Predictions {
		if c.Why == nil && slices.ContainsFunc(c.Differ, func(d Difference) bool {
			return p.At == d.Line && d.Says != "" && sameLine(valueOf(p.Lines[0], d.Row), d.Says)
		}) {
			c.Why = &e.Predictions[i]
		}
	}
	return c
}

func sameLine(a, b string) bool { return slices.Equal(wordsOf(a), wordsOf(b)) }

// signs stand by themselves, with spaces around them or without.
var signs = strings.NewReplacer("->", " -> ", "→", " -> ", ",", " , ", ":", " : ", "=", " = ")

// wordsOf returns what a line says, whatever spaces are in it.
func wordsOf(line string) []string { return strings.Fields(signs.Replace(line)) }

// row divides a line of a run whose lines have names: at two spaces.
func (e *Exercise) row(line string) (name, value string) {
	if name, value, found := strings.Cut(line, "  "); found && e.Run.Rows {
		return name, strings.TrimSpace(value)
	}
	return "", line
}

// blank stands where a value is to be written.
const blank = "?"

// valueOf returns what a line of a prediction says of a row, under whatever name.
func valueOf(said, row string) string {
	if row == "" {
		return said
	}
	words, name := strings.Fields(said), strings.Fields(row)
	if len(words) >= len(name) && slices.Equal(words[:len(name)], name) {
		said = strings.Join(words[len(name):], " ")
	} else if _, value, named := strings.Cut(strings.ReplaceAll(said, "\t", "  "), "  "); named {
		said = strings.TrimSpace(value)
	}
	return strings.TrimSpace(strings.TrimPrefix(said, blank))
}

// Text returns the words for a reader who wants to be shown what the run says, or
// goes on guessing.
func (c Comparison) Text(show bool) string {
	if c.Passed() {
		return fmt.Sprintf("All %d lines are as in the run.", c.Of)
	}
	lines := []string{fmt.Sprintf("%d of %d lines are as in the run.", c.Right, c.Of)}
	for _, d := range c.Differ {
		lines = append(lines, d.text(show))
	}
	return strings.Join(lines, "\n")
}

func (d Difference) text(show bool) string {
	at := fmt.Sprintf("Line %d", d.Line)
	if d.Row != "" {
		at += fmt.Sprintf(" (%s)", d.Row)
	}
	switch {
	case d.Runs == "":
		return fmt.Sprintf("%s: you say %q, and the run is over.", at, d.Says)
	case d.Says == "" && show:
		return fmt.Sprintf("%s: the run says %q.", at, d.Runs)
	case d.Says == "" && d.Row != "":
		return at + " is blank."
	case d.Says == "":
		return "It goes on."
	case show:
		return fmt.Sprintf("%s: you say %q, the run says %q.", at, d.Says, d.Runs)
	}
	return fmt.Sprintf("%s is another in the run: you say %q.", at, d.Says)
}

// Sheet returns the file that a prediction, or the answer to a question, is
// written into: the question, and the lines that are given. Of rows it has the
// names of all.
func (e *Exercise) Sheet() []byte {
	task, then := "A line for each thing that happens, below those that are given. Then:", "test"
	switch {
	case e.Kind == Design:
		task, then = "Write what you think below. Then:", "solution"
	case e.Run.Rows:
		task = "A value for each line, in the place of its " + blank + ". Then:"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Exercise %s, %s\n#\n", e.Number, e.Title)
	for line := range strings.Lines(string(e.Statement)) {
		b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	fmt.Fprintf(&b, "#\n# %s\n# go run ./cmd/lab exercise %s %s\n\n", task, then, e.Number)
	given, width := e.Run.Given, 0
	for _, line := range e.Run.Lines {
		name, _ := e.row(line)
		width = max(width, len(name))
	}
	for line := range strings.Lines(string(e.Run.Text)) {
		switch name, _ := e.row(line); {
		case given == 0 && !e.Run.Rows:
			return []byte(b.String())
		case strings.HasPrefix(line, "#") && e.Run.Rows:
			b.WriteString(line)
		case len(linesOf(line)) == 0:
		case given > 0:
			b.WriteString(line)
			given--
		default:
			fmt.Fprintf(&b, "%-*s  %s\n", width, name, blank)
		}
	}
	return []byte(b.String())
}
