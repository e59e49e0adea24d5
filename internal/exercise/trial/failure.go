package trial

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A Failure is one thing that a test did not find as it should be.
type Failure struct {
	Test string // "TestJudge/ours_and_selected_is_kept"
	At   string // "judge_test.go:30", where the test asks for it
	Says string // "a Pod too few: wanted 3, got 2"
	Bare bool   // by a library alone: the test has added no words

	Calls []string // the places in tests that it was asked from, the innermost first
}

// Within returns the line of a test, given its file and its lines, at which it
// failed: the assertion's line, or that of the call of the helper with the
// assertion. Calls around the whole test, as by a bubble, don't count.
func (f Failure) Within(file string, first, last int) string {
	own := ""
	for _, at := range f.Calls {
		name, number, _ := strings.Cut(at, ":")
		if line, _ := strconv.Atoi(number); name == file && first <= line && line <= last {
			return at
		}
		if own == "" && name == file {
			own = at
		}
	}
	if own == "" && len(f.Calls) > 0 {
		own = f.Calls[0]
	}
	return cmp.Or(own, f.At)
}

// Case returns the subtest of a failure, in the words that the test has for it.
func (f Failure) Case() string {
	_, below, _ := strings.Cut(f.Test, "/")
	return strings.ReplaceAll(below, "_", " ")
}

var (
	place     = regexp.MustCompile(`^ +(\S+\.go:\d+): ?(.*)$`)                           // begins what a test logs
	indented  = regexp.MustCompile(`^ {8}(.*)$`)                                         // and goes on so
	labelled  = regexp.MustCompile(`^\s*\t(Error Trace|Error|Test|Messages):\s*\t(.*)$`) // testify's
	continued = regexp.MustCompile(`^\s*\t +\t(.*)$`)
)

// failuresIn takes a test's lines apart: its log, of which only the assertions
// count if there are any, and the output of its program.
func failuresIn(lines []string) (failures []Failure, printed []string) {
	var logged []entry
	for _, line := range lines {
		if match := place.FindStringSubmatch(line); match != nil {
			logged = append(logged, entry{at: match[1], lines: []string{match[2]}})
			continue
		}
		if match := indented.FindStringSubmatch(line); match != nil && len(logged) > 0 {
			last := &logged[len(logged)-1]
			last.lines = append(last.lines, match[1])
			continue
		}
		if strings.TrimSpace(line) != "" {
			printed = append(printed, strings.TrimSpace(line))
		}
	}
	asserts := false
	for _, e := range logged {
		asserts = asserts || e.asserts()
	}
	for _, e := range logged {
		if e.asserts() || !asserts {
			failures = append(failures, e.failure())
		}
	}
	return failures, printed
}

// An entry is a test's message at one place.
type entry struct {
	at    string
	lines []string
}

func (e entry) asserts() bool {
	for _, line := range e.lines {
		if match := labelled.FindStringSubmatch(line); match != nil {
			return true
		}
	}
	return false
}

func (e entry) failure() Failure {
	if !e.asserts() {
		return Failure{At: e.at, Says: Short(strings.Join(e.lines, " "))}
	}
	parts := make(map[string][]string)
	label := ""
	for _, line := range e.lines {
		if match := labelled.FindStringSubmatch(line); match != nil {
			label = match[1]
			parts[label] = append(parts[label], match[2])
		} else if match := continued.FindStringSubmatch(line); match != nil {
			parts[label] = append(parts[label], match[1])
		}
	}
	f := Failure{
		At: e.at, Says: sentence(parts["Messages"], parts["Error"]), Calls: testsLines(parts["Error Trace"]),
		Bare: len(parts["Messages"]) == 0,
	}
	if len(f.Calls) > 0 {
		f.At = f.Calls[len(f.Calls)-1] // the outermost: a helper has the same for all
	}
	return f
}

// testsLines returns the places in tests that an assertion was called from.
func testsLines(trace []string) (calls []string) {
	for _, step := range trace {
		path := strings.TrimSpace(step)
		path = path[strings.LastIndexAny(path, `/\`)+1:]
		if strings.Contains(path, "_test.go:") {
			calls = append(calls, path)
		}
	}
	return calls
}

// sentence joins the subject of a test with the outcome.
func sentence(message, problem []string) string {
	says := compare(problem)
	if len(message) > 0 {
		return Short(strings.Join(message, " ")) + ": " + says
	}
	return says
}

var sides = regexp.MustCompile(`^(expected|actual) *: (.*)$`)

// compare says wanted and got of two values that should be the same; of long
// ones it says only the difference. For other assertions it repeats the words.
func compare(problem []string) string {
	side, expected, actual := "", "", ""
	for _, line := range problem {
		if strings.HasPrefix(line, "Diff:") {
			break
		}
		if match := sides.FindStringSubmatch(line); match != nil {
			side = match[1]
			line = match[2]
		}
		switch side {
		case "expected":
			expected += " " + line
		case "actual":
			actual += " " + line
		}
	}
	if side == "" {
		return Short(strings.Join(problem, " "))
	}
	if len(expected)+len(actual) > 2*longest {
		if less, more := difference(problem); less != "" || more != "" {
			expected, actual = less, more
		}
	}
	return "wanted " + value(expected) + ", got " + value(actual)
}

func value(text string) string { return cmp.Or(Short(text), "nothing") }

// difference returns the words that a diff takes away, and those that it adds.
func difference(problem []string) (less, more string) {
	within := false
	for _, line := range problem {
		within = within || strings.HasPrefix(line, "@@")
		switch {
		case !within:
		case strings.HasPrefix(line, "-"):
			less += " " + strings.TrimSpace(line[1:])
		case strings.HasPrefix(line, "+"):
			more += " " + strings.TrimSpace(line[1:])
		}
	}
	return less, more
}

// longest is how much of a value stands in a sentence.
const longest = 100

// Short brings a text to one line of some length.
func Short(text string) string {
	text = forPeople(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
