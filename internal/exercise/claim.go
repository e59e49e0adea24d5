package exercise

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/source"
)

// A claim is that tests pass, or that each of them fails, when the chapter has
// other code in some of its files.
type claim struct {
	about   string // "the stub of 1.2", `"It counts twice" (1.2)`
	file    string // where the exercise claims it
	line    int
	variant variant
	tests   []judge
	fail    bool
	open    string // exercise with which the whole chapter comes to an end; "" is not asked

	exercise *Exercise    // of a wrong answer
	wrong    *WrongAnswer // nil where it is about none
	said     Saying       // what the tests that judge said of it

	binary binary // that has the variant
	built  bool
}

// A judge is a test of a claim, and the place to report what it says.
type judge struct {
	test string
	file string
	line int
}

// note is what is remembered of a claim that holds, and recall takes it from
// there.
func (c *claim) note() string { return "# " + c.about + "\n" + c.said.text() }

func (c *claim) recall(note string) {
	if c.wrong != nil {
		c.said = parseSayings(c.about + "\n" + note)[c.about]
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

// claimsOf lists what exercises claim, the reference first. Claims that need no
// run to be refuted are errors here.
func claimsOf(exercises []*Exercise, dir string, open bool) ([]*claim, error) {
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
	origins := cut.NewOrigins(dir)
	for _, e := range exercises {
		for _, test := range e.Tests {
			reference.tests = append(reference.tests, judge{test.Name, test.File.Path, test.Line})
		}
		stub, err := startClaim(e, dir, origins)
		if open && err == nil {
			stub.open = e.Number
		}
		add(stub, err)
		if e.Kind == Debug {
			continue
		}
		for i := range e.Wrong {
			add(wrongClaim(e, &e.Wrong[i], dir))
		}
	}
	return claims, source.Join(errs...)
}

// startClaim is about the chapter with the exercise started: with its functions
// cut or, to be debugged, with the fault in them.
func startClaim(e *Exercise, dir string, origins *cut.Origins) (*claim, error) {
	if e.Kind != Debug {
		return stubClaim(e, dir, origins)
	}
	c, err := wrongClaim(e, &e.Wrong[0], dir)
	if err == nil {
		c.judgeBy(names(e.Tests))
		c.wrong = nil // nobody is to be told that it looks like this
	}
	return c, err
}

func stubClaim(e *Exercise, dir string, origins *cut.Origins) (*claim, error) {
	c := &claim{
		about: "the stub of " + e.Number, file: e.File, line: 1,
		fail: true, variant: make(variant),
	}
	c.judgeBy(names(e.Tests))
	for file, functions := range e.ByFile() {
		stub, err := cut.Cut(file.Content, functions, e.Note(), origins)
		if err != nil {
			return nil, c.problem("%s: %v", file.Name, err)
		}
		c.variant[filepath.Join(dir, file.Name)] = edit{file.Content, stub, functions}
	}
	return c, nil
}

func wrongClaim(e *Exercise, wrong *WrongAnswer, dir string) (*claim, error) {
	c := &claim{
		about: fmt.Sprintf("%q (%s)", wrong.Name, e.Number), file: e.File, line: wrong.Line,
		fail: true, variant: make(variant), exercise: e, wrong: wrong,
	}
	c.judgeBy(wrong.CaughtBy)
	byFile := make(map[*source.File][]string)
	for _, r := range wrong.replaces {
		byFile[r.file] = append(byFile[r.file], r.name)
	}
	differs := false
	for file, declarations := range byFile {
		text, err := cut.Replace(file.Content, wrong.Code, declarations)
		if err != nil {
			return nil, c.problem("%s: %v", c.about, err)
		}
		differs = differs || !cut.Equivalent(text, file.Content)
		c.variant[filepath.Join(dir, file.Name)] = edit{file.Content, text, declarations}
	}
	if !differs {
		return nil, c.problem("%s is the right answer", c.about)
	}
	return c, nil
}

// check runs the claim's tests, each in a process of its own, so that none can
// hide another. One that does not come to an end is the last that is asked.
func (c *claim) check(ctx context.Context, timeout time.Duration) error {
	var errs []error
	for _, judge := range c.tests {
		v := c.binary.run(ctx, judge.test, timeout)
		if problem := c.refutedBy(v); problem != "" {
			errs = append(errs, source.At(judge.file, judge.line, "%s %s", judge.test, problem))
		}
		if v.outcome == timedOut {
			return source.Join(errs...)
		}
	}
	if c.open != "" {
		if v := c.binary.runAll(ctx, c.open, wholes*timeout); v.outcome != ended {
			errs = append(errs, c.problem("with %s, the whole chapter %s:\n%s", c.about, v.outcome, indent(v.detail)))
		}
	}
	if c.wrong != nil {
		errs = append(errs, c.listen(ctx, timeout))
	}
	return source.Join(errs...)
}

// listenings are how often the tests are heard, and on how many processors.
var listenings = []string{"1", "2", "4", "1", "4"}

// listen notes what the tests that judge say of a wrong answer every time.
func (c *claim) listen(ctx context.Context, timeout time.Duration) error {
	for i, processors := range listenings {
		said, err := c.binary.hear(ctx, c.exercise, processors, timeout)
		if err != nil {
			return c.problem("%v", err)
		}
		if i > 0 {
			said = said.common(c.said)
		}
		c.said = said
	}
	if len(c.said) == 0 {
		return c.problem("%s fails none of the tests that judge %s", c.about, c.exercise.Number)
	}
	return nil
}

// refutedBy says what is wrong with a verdict; "" when it is as claimed.
func (c *claim) refutedBy(v verdict) string {
	switch {
	case v.outcome == absent:
		return fmt.Sprintf("%s on %s: is there such a test?", v.outcome, c.about)
	case !c.fail && v.outcome != passed:
		return fmt.Sprintf("%s on %s:\n%s", v.outcome, c.about, indent(v.detail))
	case c.fail && v.outcome == passed:
		return fmt.Sprintf("passes on %s and should catch it", c.about)
	case c.fail && v.outcome != failed:
		return fmt.Sprintf("%s on %s and should fail by its own assertion:\n%s", v.outcome, c.about, indent(v.detail))
	}
	return ""
}

func indent(output []byte) string {
	return "\t" + strings.ReplaceAll(string(bytes.TrimSpace(output)), "\n", "\n\t")
}
