package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reconcile/internal/english"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/exercise/workspace"
)

// A verdict is printed while the tests run: a line for each, and below those
// that fail a sentence for each assertion that did not hold.
type verdict struct {
	out       paper
	verbose   bool
	show      bool                   // what the run says that was to be predicted
	assertion func(at string) string // of the tests
	input     func(at string, names ...string) string
	said      map[string]bool // the sentences that stand there already
	exercise  *exercise.Exercise
}

func (v verdict) begins(begun workspace.Tested) {
	fmt.Fprintln(v.out, heading(begun.Exercise))
	if len(begun.Others) > 0 {
		fmt.Fprintf(v.out, "Of %s the tests see the book's version, not yours; --mine shows them yours.\n", english.List(begun.Others))
	}
	fmt.Fprintln(v.out)
}

func tick(passed bool) string {
	if passed {
		return "✓"
	}
	return "✗"
}

// enough failures of one test say what is wrong.
const enough = 3

func (v verdict) ended(t trial.Test) {
	if t.Passed && !v.exercise.Marked(t.Name) {
		return // they are counted
	}
	fmt.Fprintf(v.out, "  %s %s\n", tick(t.Passed), trial.Words(t.Name))
	switch {
	case t.Passed:
	case v.verbose:
		fmt.Fprintf(v.out, "      %s\n", t.Name)
		for _, line := range t.Raw {
			fmt.Fprintf(v.out.raw, "      %s\n", line)
		}
	default:
		v.failures(t.Failures)
		for _, line := range t.Printed {
			fmt.Fprintf(v.out, "      %s\n", line)
		}
	}
}

// bare matches what an assertion says that names no value.
var bare = regexp.MustCompile(`^(Should be (true|false|empty|zero)|An error is expected but got nil\.|Expected value not to be nil\.)`)

// failures prints each failure once, though a loop has found it more often.
func (v verdict) failures(all []trial.Failure) {
	var told []string
	given, fresh := map[string]string{}, false
	for _, f := range all {
		says := f.Says
		at := workspace.PlaceOf(v.exercise, f)
		if f.Bare && (f.Case() == "" || bare.MatchString(says)) {
			says = strings.TrimSuffix(says+": "+v.assertion(at), ": ")
		}
		if f.Case() != "" {
			says = strings.TrimSuffix(f.Case()+": "+says, ": ")
		}
		if line := strings.TrimSpace(at + "  " + says); line != "" && !slices.Contains(told, line) {
			told = append(told, line)
			fresh = fresh || !v.said[says]
			v.said[says] = true
			if len(told) <= enough {
				subject, _, _ := strings.Cut(f.Says, ": ")
				given[line] = v.input(at, f.Case(), subject)
			}
		}
	}
	if len(told) > 0 && !fresh {
		fmt.Fprintln(v.out, "      as above")
		return
	}
	for _, line := range told[:min(len(told), enough)] {
		fmt.Fprintf(v.out, "      %s\n", line)
		if given[line] != "" {
			fmt.Fprintf(v.out, "          given: %s\n", given[line])
		}
	}
	if more := len(told) - enough; more > 0 {
		fmt.Fprintf(v.out, "      … and %d more\n", more)
	}
}

// is prints the outcome of a test.
func (v verdict) is(done workspace.Tested) {
	number := done.Exercise.Number
	if done.Result.NoBuild {
		fmt.Fprintf(v.out.raw, "It does not build:\n\n%s\n", indented(done.Compiler))
		for _, file := range done.Gone {
			fmt.Fprintf(v.out, "%s.\n", workspace.IsMissing(file))
		}
		if len(done.Missing) > 0 {
			fmt.Fprintf(v.out, "The imports went with the body that used them: %s again.\n", "import "+english.List(done.Missing))
		}
		return
	}
	if done.Also > 0 {
		tests := "tests that run"
		if done.Also == 1 {
			tests = "test that runs"
		}
		fmt.Fprintf(v.out, "  %s and %d more %s through your code\n", tick(true), done.Also, tests)
	}
	fmt.Fprintf(v.out, "\n%s.\n", v.result(done.Result))
	v.gained(done.Gained)
	switch {
	case !done.Own && done.Started:
		fmt.Fprintf(v.out, "But %s %s the book's own: that is no pass. To write yours: %sstart %s. To go on all the same: %snext\n",
			english.List(functions(done.Exercise)), is(done.Exercise.Functions), byHand, number, byHand)
	case !done.Own:
		fmt.Fprintf(v.out, "This is the book's own answer: exercise %s is not started. To write yours: %sstart %s\n",
			number, byHand, number)
	case done.Result.Passed():
	case len(done.Empty) > 0:
		fmt.Fprintf(v.out, "%s %s still to be written.\n", english.List(done.Empty), is(done.Empty))
	default:
		v.looksLike(done.LooksLike)
		if !v.verbose {
			fmt.Fprintf(v.out, "\nAll that the tests print: %stest %s --verbose\n", byHand, number)
		}
	}
}

// gained names the tests that fail no more.
func (v verdict) gained(tests []string) {
	var all []string
	for _, test := range tests {
		all = append(all, fmt.Sprintf("%q", trial.Words(test)))
	}
	if len(all) > 0 {
		fmt.Fprintf(v.out, "New since the last try: %s\n", english.List(all))
	}
}

// result says how many tests pass, if some do.
func (v verdict) result(r workspace.Result) string {
	if r.Pass > 0 && r.Fail > 0 {
		return fmt.Sprintf("%d of %d pass", r.Pass, r.Pass+r.Fail)
	}
	return r.String()
}

func (v verdict) looksLike(wrong *exercise.WrongAnswer) {
	if wrong != nil {
		fmt.Fprintf(v.out, "\nThis looks like %q.\n\n", wrong.Name)
		v.out.prose(wrong.Why)
	}
}

// compared prints how far a prediction agrees with the run.
func (v verdict) compared(done workspace.Tested) {
	c := done.Compared
	fmt.Fprintf(v.out.raw, "%s\n%s\n", heading(done.Exercise), c.Text(v.show))
	if c.Why != nil {
		fmt.Fprintf(v.out, "\nThis is %q.\n", c.Why.Name)
		v.out.prose(c.Why.Why)
	}
	if !c.Passed() && !v.show {
		fmt.Fprintf(v.out, "\nWhat the run says: %stest %s --show\n", byHand, done.Exercise.Number)
	}
}

func functions(e *exercise.Exercise) []string {
	var names []string
	for _, fn := range e.Functions {
		names = append(names, fn.Name)
	}
	return names
}

func is[T any](items []T) string {
	if len(items) == 1 {
		return "is"
	}
	return "are"
}
