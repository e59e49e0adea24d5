package trial

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strings"

	"reconcile/internal/openexercises"
)

// A Test is the outcome of one top-level test, with its subtests.
type Test struct {
	Name     string
	Passed   bool
	Failures []Failure
	Printed  []string // by a test that fails, and by no assertion
	Raw      []string // all that it printed
}

// mark begins the lines that package testing itself prints with
// -test.v=test2json, which tells them from lines that a test prints.
const mark = "\x16"

var (
	speaks = regexp.MustCompile(`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)`)
	ends   = regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// Read reads the output of a test binary with -test.v=test2json, and calls tell
// with each top-level test once it knows that it is complete. It returns the
// lines that were printed by none.
func Read(from io.Reader, tell func(Test)) (rest []string, err error) {
	r := &reading{tests: make(map[string]*test), tell: tell}
	for lines := bufio.NewReader(from); ; {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.parseLine(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			r.flush("")
			r.cutShort()
			if err == io.EOF {
				err = nil
			}
			return r.rest, err
		}
	}
}

// A test is one of any level, while its lines come.
type test struct {
	name  string
	lines []string
	below []*test // in order
	ended string  // PASS, FAIL or SKIP
}

type reading struct {
	tell  func(Test)
	tests map[string]*test
	open  []string // top-level tests that tell has not had
	now   *test
	rest  []string
}

func (r *reading) parseLine(line string) {
	said, text, marked := strings.Cut(line, mark)
	if said != "" {
		r.keep(openexercises.Plain(said)) // also where it stands before a mark in one line
	}
	if !marked {
		if line == "" {
			r.keep(line)
		}
		return
	}
	if match := speaks.FindStringSubmatch(text); match != nil {
		r.now = r.test(match[1])
		r.flush(openexercises.TopOf(match[1]))
	} else if match := ends.FindStringSubmatch(text); match != nil {
		r.now = r.test(match[2])
		r.now.ended = match[1]
	}
}

func (r *reading) keep(line string) {
	if r.now == nil {
		r.rest = append(r.rest, line)
		return
	}
	r.now.lines = append(r.now.lines, line)
}

func (r *reading) test(name string) *test {
	if r.tests[name] == nil {
		r.tests[name] = &test{name: name}
		if above := strings.LastIndex(name, "/"); above >= 0 {
			parent := r.test(name[:above])
			parent.below = append(parent.below, r.tests[name])
		} else {
			r.open = append(r.open, name)
		}
	}
	return r.tests[name]
}

// flush tells of the tests that have ended, once another test prints: the words
// of a panic come after the end of its test.
func (r *reading) flush(speaker string) {
	r.open = slices.DeleteFunc(r.open, func(name string) bool {
		t := r.tests[name]
		if name == speaker || t.ended == "" {
			return false
		}
		told := Test{Name: name, Passed: t.ended != "FAIL"}
		t.collect(&told)
		r.tell(told)
		return true
	})
}

// cutShort lets the tests fail that had no end when the output had.
func (r *reading) cutShort() {
	for _, name := range r.open {
		t := r.tests[name]
		t.ended, t.lines = "FAIL", append(t.lines, "the program ended before this test did: by os.Exit, log.Fatal or the like")
	}
	r.flush("")
}

// collect adds the words of a test and of those below it.
func (t *test) collect(into *Test) {
	into.Raw = append(into.Raw, t.lines...)
	if t.ended == "FAIL" {
		failures, printed := failuresIn(t.lines)
		into.Printed = append(into.Printed, printed...)
		if len(failures) == 0 && !slices.ContainsFunc(t.below, (*test).failed) {
			failures = []Failure{{}}
		}
		for _, failure := range failures {
			failure.Test = t.name
			into.Failures = append(into.Failures, failure)
		}
	}
	for _, below := range t.below {
		below.collect(into)
	}
}

func (t *test) failed() bool { return t.ended == "FAIL" }
