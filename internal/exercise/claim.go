package exercise

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/source"
)

// A claim is that tests pass, or that each of them fails, when the chapter has
// other code in some of its files.
type claim struct {
	about   string // "the stub of 1c", `"It counts twice" (1c)`
	file    string // where the exercise claims it
	line    int
	variant variant
	tests   []judge
	also    []judge // which are asked as short ones
	fail    bool
	right   bool        // the variant is another right answer
	open    []*Exercise // that the variant has open; without tests, the whole chapter comes to an end
	once    bool        // what the tests say of exercises that are open is asked once
	needs   *Exercise   // that needs none of those that are open

	exercise *Exercise    // of a wrong answer, or a fault
	wrong    *WrongAnswer // nil for a fault, and for other claims
	nameless bool         // it is none of the listed ones, and gets no name
	said     Saying       // what the tests that judge said of it
	run      []byte       // what they recorded of a fault

	measures bool             // what the tests reach
	known    map[string]reach // from before
	reach    map[string]reach

	binary binary // that has the variant
	built  bool
}

// A judge is a test of a claim, and the place to report what it says.
type judge struct {
	test string
	file string
	line int
}

// note returns what is remembered of a claim that holds, and recall takes it from
// there.
func (c *claim) note() string {
	return "# " + c.about + "\n" + c.said.text() + string(c.run) + reachText(c.reach)
}

func (c *claim) recall(note string) {
	switch {
	case c.measures:
		c.reach = parseReach(note)
	case c.wrong != nil:
		c.said = parseSayings(c.about + "\n" + note)[c.about]
	case c.fault():
		_, run, _ := strings.Cut(note, "\n")
		c.run = []byte(run)
	}
}

func (c *claim) problem(format string, args ...any) error {
	return source.At(c.file, c.line, format, args...)
}

// judgeBy sets tests that are reported where the claim is made.
func (c *claim) judgeBy(tests []string) {
	for _, test := range tests {
		c.tests = append(c.tests, judge{test, c.file, c.line})
	}
}

// asked returns the tests of the first level that have a say in the claim.
func (c *claim) asked() []string {
	tests := topsOf(c.tests)
	if c.wrong != nil {
		tests = append(names(c.exercise.Tests), tests...)
		slices.Sort(tests)
		tests = slices.Compact(tests)
	}
	return tests
}

func topsOf(judges []judge) []string {
	var tests []string
	for _, judge := range judges {
		if top, _, _ := strings.Cut(judge.test, "/"); !slices.Contains(tests, top) {
			tests = append(tests, top)
		}
	}
	return tests
}

// times returns how often the tests are asked on each number of processors: twice
// where a test that wavers has to be found, on the reference and on stubs.
func (c *claim) times() int {
	if c.wrong != nil || c.right {
		return 1
	}
	return 2
}

// claimsOf returns the claims of the exercises of one folder, the reference
// first. Claims that need no run to be refuted are errors here.
func claimsOf(exercises []*Exercise, chapter string) ([]*claim, error) {
	reference := &claim{about: "the reference", file: exercises[0].File, line: 1}
	claims := []*claim{reference}
	var errs []error
	add := func(c *claim, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		claims = append(claims, c)
	}
	add(reachClaim(exercises, chapter))
	for _, e := range exercises {
		for _, test := range e.Tests {
			reference.tests = append(reference.tests, judge{test.Name, test.File.Path, test.Line})
		}
		add(startClaim(e, chapter))
		if e.Kind == Debug {
			continue
		}
		for i := range e.Wrong {
			add(wrongClaim(e, &e.Wrong[i], chapter))
		}
		for i := range e.Nameless {
			add(namelessClaim(e, &e.Nameless[i], chapter))
		}
	}
	for _, e := range exercises {
		for i := range e.Right {
			add(rightClaim(e, &e.Right[i], chapter))
		}
	}
	return claims, source.Join(errs...)
}

// startClaim returns the claim about the chapter with the exercise started:
// with its functions cut or, to be debugged, with the fault in them.
func startClaim(e *Exercise, chapter string) (c *claim, err error) {
	if e.Kind == Debug {
		if c, err = wrongClaim(e, &e.Wrong[0], chapter); err != nil {
			return nil, err
		}
		c.wrong = nil // no reader is to be told that it looks like this
	} else {
		c = &claim{about: "the stub of " + e.Number, file: e.File, line: 1, fail: true}
		if c.variant, err = started([]*Exercise{e}, chapter); err != nil {
			return nil, err
		}
	}
	c.judgeBy(names(e.Tests))
	return c, nil
}

// wrongClaim returns the claim about the chapter with a wrong answer in it.
func wrongClaim(e *Exercise, wrong *WrongAnswer, chapter string) (*claim, error) {
	c := &claim{
		about: fmt.Sprintf("%q (%s)", wrong.Name, e.Number), file: e.File, line: wrong.Line,
		fail: true, exercise: e, wrong: wrong,
	}
	c.judgeBy(wrong.CaughtBy)
	return c, c.give(e, &wrong.Answer, chapter)
}

// namelessClaim returns the claim about the chapter with a wrong answer that is none
// of the listed ones.
func namelessClaim(e *Exercise, answer *Answer, chapter string) (*claim, error) {
	c := &claim{
		about: fmt.Sprintf("%q, which has no name (%s)", answer.Name, e.Number), file: answer.File, line: answer.Line,
		fail: true, exercise: e, wrong: &WrongAnswer{Answer: *answer}, nameless: true,
	}
	return c, c.give(e, answer, chapter)
}

// rightClaim returns the claim about the chapter with another right answer in it.
func rightClaim(e *Exercise, right *Answer, chapter string) (*claim, error) {
	c := &claim{about: fmt.Sprintf("%q, which is right (%s)", right.Name, e.Number), file: right.File, line: right.Line, right: true}
	c.judgeBy(names(e.Tests))
	for _, test := range e.Also {
		c.also = append(c.also, judge{test.Name, c.file, c.line})
	}
	return c, c.give(e, right, chapter)
}

// give sets the variant of a claim to the chapter with an answer in it.
func (c *claim) give(e *Exercise, answer *Answer, chapter string) error {
	byFile := make(map[*source.File][]string)
	for _, r := range answer.replaces {
		byFile[r.file] = append(byFile[r.file], r.name)
	}
	c.variant = make(variant)
	differs := false
	for file, declarations := range byFile {
		text, err := cut.Replace(file.Content, answer.Code, declarations)
		if err != nil {
			return c.problem("%s: %v", c.about, err)
		}
		differs = differs || !cut.Equivalent(text, file.Content)
		c.variant[filepath.Join(chapter, filepath.FromSlash(e.Folder), file.Name)] = edit{file.Content, text, declarations}
	}
	if !differs {
		return c.problem("%s is the book's answer", c.about)
	}
	return nil
}

func indent(output []byte) string {
	return "\t" + strings.ReplaceAll(string(bytes.TrimSpace(output)), "\n", "\n\t")
}
