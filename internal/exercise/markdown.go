package exercise

import (
	"slices"
	"strings"

	"reconcile/internal/source"
)

// A passage is a run of lines of a Markdown file.
type passage struct {
	file  string
	line  int // of the first line; 0 if the passage is missing
	lines []string
}

func (p passage) text() string { return strings.TrimSpace(strings.Join(p.lines, "\n")) }

func (p passage) problem(line int, format string, args ...any) error {
	return source.At(p.file, line, format, args...)
}

// trimmed returns the passage without the blank lines around it.
func (p passage) trimmed() passage {
	for len(p.lines) > 0 && strings.TrimSpace(p.lines[0]) == "" {
		p.lines, p.line = p.lines[1:], p.line+1
	}
	for len(p.lines) > 0 && strings.TrimSpace(p.lines[len(p.lines)-1]) == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
	return p
}

// A section is a heading of some level with what follows it.
type section struct {
	title string
	line  int // of the heading
	body  passage
}

// sections splits a passage at its headings of one level, such as "## ",
// outside of fenced code.
func (p passage) sections(heading string) (before passage, all []section) {
	before = passage{file: p.file, line: p.line}
	into := &before
	fence := ""
	for i, line := range p.lines {
		fence = fenceAfter(fence, line)
		if title, ok := strings.CutPrefix(line, heading); ok && fence == "" {
			all = append(all, section{
				title: strings.TrimSpace(title), line: p.line + i,
				body: passage{file: p.file, line: p.line + i + 1},
			})
			into = &all[len(all)-1].body
			continue
		}
		into.lines = append(into.lines, line)
	}
	return before, all
}

// fenceAfter returns the fence that is open behind a line: "" or the backticks
// that opened it.
func fenceAfter(open, line string) string {
	trimmed := strings.TrimLeft(line, " ")
	ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
	switch {
	case open == "" && len(ticks) >= 3:
		return ticks
	case open != "" && len(ticks) >= len(open) && strings.TrimSpace(trimmed) == ticks:
		return ""
	}
	return open
}

// code finds the one block of code in a section, and returns the prose around
// it.
func (s section) code(language string) (prose string, block passage, err error) {
	var around []string
	block.file = s.body.file
	blocks, fence := 0, ""
	for i, line := range s.body.lines {
		was := fence
		fence = fenceAfter(fence, line)
		switch {
		case was == "" && fence != "":
			blocks++
			block.line = s.body.line + i + 1
			if strings.TrimSpace(strings.TrimLeft(line, " `")) != language {
				err = s.body.problem(s.body.line+i, "the code of an answer stands between ```%s and ```", language)
			}
		case was != "" && fence != "":
			block.lines = append(block.lines, line)
		case was == "":
			around = append(around, line)
		}
	}
	if blocks != 1 {
		err = s.body.problem(s.line, "%d blocks of code; an answer has one", blocks)
	}
	return strings.TrimSpace(strings.Join(around, "\n")), block, err
}

// parse reads the exercise's file: front matter, statement, and the sections of
// its kind.
func (e *Exercise) parse(text []byte) error {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	whole := passage{file: e.File, line: 1, lines: lines}
	body, err := e.parseFrontMatter(whole)
	if err != nil {
		return err
	}
	statement, sections := body.sections("## ")
	statement = statement.trimmed()
	e.Statement, e.StatementLine = []byte(statement.text()), statement.line
	errs := []error{e.parseSections(whole, sections)}
	if len(e.Statement) == 0 {
		errs = append(errs, body.problem(body.line, "the exercise has no statement"))
	}
	return source.Join(errs...)
}

func (e *Exercise) parseSections(whole passage, sections []section) error {
	var errs []error
	wanted := sectionsOf[e.Kind]
	seen := make(map[string]bool)
	for _, s := range sections {
		switch {
		case seen[s.title]:
			errs = append(errs, whole.problem(s.line, "a second section %q", s.title))
		case !slices.Contains(wanted, s.title):
			errs = append(errs, whole.problem(s.line, "section %q is not known: there are %s", s.title, strings.Join(wanted, " and ")))
		default:
			errs = append(errs, e.parseSection(s))
		}
		seen[s.title] = true
	}
	for _, title := range wanted {
		if !seen[title] {
			errs = append(errs, whole.problem(1, "there is no section %q", title))
		}
	}
	return source.Join(errs...)
}

func (e *Exercise) parseSection(s section) error {
	switch s.title {
	case "Hints":
		return e.parseHints(s)
	case "Wrong answers", "Fault":
		return e.parseWrong(s)
	case "Wrong predictions":
		return e.parsePredictions(s)
	}
	body := s.body.trimmed()
	e.Answer, e.AnswerLine = []byte(body.text()), body.line
	return nil
}

func (e *Exercise) parseFrontMatter(whole passage) (body passage, err error) {
	var front struct {
		Title   string `yaml:"title"`
		Summary string `yaml:"summary"`
		Minutes Span   `yaml:"minutes"`

		Difficulty Difficulty `yaml:"difficulty"`
		Needs      []need     `yaml:"needs"`
		Kind       Kind       `yaml:"kind"`
		Given      int        `yaml:"given"` // of a prediction
		Rows       bool       `yaml:"rows"`  // likewise
		Run        string     `yaml:"run"`   // with the fault
	}
	front.Kind = Write
	rest, line, err := source.FrontMatter(e.File, []byte(strings.Join(whole.lines, "\n")), &front)
	if err != nil {
		return body, err
	}
	e.Title, e.Summary, e.Span, e.Kind, e.needs = front.Title, front.Summary, front.Minutes, front.Kind, front.Needs
	e.Run.Given, e.Run.Rows, e.Run.Of = front.Given, front.Rows, front.Run
	e.Difficulty = front.Difficulty
	switch {
	case e.Title == "" || e.Minutes <= 0:
		err = whole.problem(1, "front matter needs a title, and minutes above zero")
	case !slices.Contains([]Difficulty{"", Easy, Medium, Hard}, e.Difficulty):
		err = whole.problem(1, "difficulty: %s: there are easy, medium and hard", e.Difficulty)
	case sectionsOf[e.Kind] == nil:
		err = whole.problem(1, "kind: %s: there are write, predict, debug, extend and design", e.Kind)
	case (e.Kind == Predict) != (front.Given > 0):
		err = whole.problem(1, "given: of a prediction, and of nothing else, so many lines are given")
	case front.Rows && e.Kind != Predict:
		err = whole.problem(1, "rows: the lines of a prediction have names")
	case (e.Kind == Debug) != (front.Run != ""):
		err = whole.problem(1, "run: the recording that is another with the fault; only a fault has one")
	}
	return passage{file: e.File, line: line, lines: strings.Split(string(rest), "\n")}, err
}
