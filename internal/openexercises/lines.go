package openexercises

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// mark begins the lines that package testing itself prints with
// -test.v=test2json.
const mark = "\x16"

// Plain returns a line of such output as a reader is shown it: without the signs
// in which Go 1.27 and later set the words of a failure, and with those that a test
// printed itself, which it escapes.
func Plain(line string) string { return signs.Replace(line) }

var signs = strings.NewReplacer(
	"\x1b\x16", "\x16", "\x1b\x0f", "\x0f", "\x1b\x0e", "\x0e", "\x1b\x1b", "\x1b",
	"\x0f", "", "\x0e", "",
)

// lines reads what a test process prints, and passes on what its caller wants
// to see: all of it, or the words of the tests that fail.
type lines struct {
	out     io.Writer
	verbose string
	again   bool // other processes have run tests before this one

	failed bool
	begun  []string // top-level tests, in order
	ended  []string
	said   map[string][]string // by test and subtest, until it has ended
	below  []string            // the words of subtests that failed
	now    string              // the test that speaks
	over   bool                // the last test has ended
	death  []string            // from the line on that says of what it died
}

var (
	speaks = regexp.MustCompile(`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)`)
	ends   = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\S+) `)
	dies   = regexp.MustCompile(`^(panic: |fatal error: |SIGQUIT: |unexpected fault )`)
)

// noTests is what package testing says when none was to be run.
const noTests = "testing: warning: no tests to run"

// parseLine parses a line. It reports whether a test has begun or ended.
func (l *lines) parseLine(line string) (progress bool) {
	text, marked := strings.CutPrefix(line, mark)
	text = Plain(text)
	if l.again && text == noTests {
		return false // all that were left had been run
	}
	if l.died() || dies.MatchString(text) {
		l.death = append(l.death, text)
		return false
	}
	switch l.verbose {
	case "test2json":
		l.pass(line, text, marked)
	case "true":
		l.pass(text, text, marked)
	}
	if !marked {
		l.keep(text)
		return false
	}
	if isVerdict(text) {
		l.over = true
		return true
	}
	if match := speaks.FindStringSubmatch(text); match != nil {
		return l.speaks(match[1])
	}
	if match := ends.FindStringSubmatch(text); match != nil {
		return l.ends(match[2], match[1] == "FAIL", text)
	}
	return false
}

// pass passes a line on; but not the verdict of the whole run, which is the
// supervisor's to give.
func (l *lines) pass(line, text string, marked bool) {
	if !marked || !isVerdict(text) {
		fmt.Fprintln(l.out, line)
	}
}

func isVerdict(text string) bool { return text == "PASS" || text == "FAIL" }

func (l *lines) keep(text string) {
	if l.said == nil {
		l.said = make(map[string][]string)
	}
	l.said[l.now] = append(l.said[l.now], text)
}

func (l *lines) speaks(test string) (progress bool) {
	l.now = test
	top := TopOf(test)
	if slices.Contains(l.begun, top) {
		return false
	}
	l.begun = append(l.begun, top)
	return true
}

// ends shows the words of a test that failed, and below it its subtests, which
// have ended before it.
func (l *lines) ends(test string, failed bool, how string) (progress bool) {
	l.now = test
	l.failed = l.failed || failed
	said := append([]string{how}, l.said[test]...)
	delete(l.said, test)
	if below := strings.Count(test, "/"); below > 0 {
		for _, line := range said {
			if failed {
				l.below = append(l.below, strings.Repeat("    ", below)+line)
			}
		}
		return false
	}
	if failed && l.verbose == "false" {
		for _, line := range append(said, l.below...) {
			fmt.Fprintln(l.out, line)
		}
	}
	l.below, l.ended = nil, append(l.ended, test)
	return true
}

// TopOf returns the test that a subtest is part of.
func TopOf(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}

func (l *lines) died() bool { return len(l.death) > 0 }

// victim returns the test in which the process died: the one that spoke last,
// which has ended already if it panicked; or one that did not end.
func (l *lines) victim(hung bool) string {
	if !hung {
		return TopOf(l.now)
	}
	for _, test := range slices.Backward(l.begun) {
		if !slices.Contains(l.ended, test) {
			return test
		}
	}
	return ""
}

// fail reports a test that did not live to its end as failed.
func (l *lines) fail(test, sentence string) {
	said := fmt.Sprintf("    %s", strings.ReplaceAll(sentence, "\n", "\n        "))
	switch {
	case slices.Contains(l.ended, test): // as one does that panics
		fmt.Fprintln(l.out, said)
	case l.verbose == "test2json":
		fmt.Fprintf(l.out, "%s=== NAME  %s\n%s\n%s--- FAIL: %s (0.00s)\n", mark, test, said, mark, test)
	default:
		fmt.Fprintf(l.out, "--- FAIL: %s\n%s\n", test, said)
	}
}
