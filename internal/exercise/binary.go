package exercise

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise/trial"
	"reconcile/internal/openexercises"
)

// A binary is the tests of a package, to be run in its folder, and which of the
// variants in it they shall see; "" for the package as it is.
type binary struct {
	dir, path, choice string
}

// processors are the numbers of processors on which tests are asked in turn: a
// result that holds on machines of one size alone teaches a reader the wrong
// thing.
var processors = []string{"1", "2", "4"}

// An answer holds the words of tests in one process.
type answer struct {
	output   []byte
	exitCode int
	rounds   int           // how often each of them was asked
	cost     time.Duration // of a processor
	err      error         // why there was no process
}

// ask runs the tests that match a pattern, each so many times on each number of
// processors.
func (p *prover) ask(ctx context.Context, b binary, pattern string, times int, timeout time.Duration, args ...string) answer {
	a := p.start(ctx, b, timeout, []string{openexercises.PlainEnv + "=1"}, append(args, "-test.run", pattern, "-test.v=test2json",
		"-test.cpu", strings.Join(processors, ","), "-test.count", strconv.Itoa(times))...)
	a.rounds = times * len(processors)
	return a
}

// start runs a binary to its end.
func (p *prover) start(
	ctx context.Context, b binary, timeout time.Duration, env []string, args ...string,
) answer {
	p.started.Add(1)
	ctx, cancel := context.WithTimeout(ctx, 2*timeout) // should the binary's own clock fail
	defer cancel()
	command := exec.CommandContext(ctx, b.path, append(args, "-test.timeout", timeout.String())...)
	command.Dir = b.dir
	command.Env = slices.Concat(os.Environ(), trial.Temporary(b.path), []string{chooserEnv + "=" + b.choice}, env)
	command.WaitDelay = time.Second
	output, err := command.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return answer{err: err}
	}
	state := command.ProcessState
	return answer{output: output, exitCode: state.ExitCode(), cost: state.UserTime() + state.SystemTime()}
}

// inPeace reports whether the process ended by itself, with a word on each of
// its tests. A test binary exits with 0 or 1; any other code is the runtime's,
// after a panic.
func (a answer) inPeace() bool {
	return a.err == nil && (a.exitCode == 0 || a.exitCode == 1) && !a.timedOut()
}

// timedOut reports whether the time was too short for the tests.
func (a answer) timedOut() bool { return bytes.Contains(a.output, timedOutSays) }

var timedOutSays = []byte("panic: test timed out after ")

// lastWords returns what the process said before it died, without the stacks.
func (a answer) lastWords() []byte {
	switch at := stacks.FindIndex(a.output); {
	case a.err != nil:
		return []byte(a.err.Error())
	case at != nil:
		return unmarked(a.output[:at[0]])
	}
	return unmarked(a.output)
}

var stacks = regexp.MustCompile(`(?m)^\s*goroutine \d+ `)

func unmarked(output []byte) []byte {
	return []byte(openexercises.Plain(string(bytes.ReplaceAll(output, []byte{0x16}, nil))))
}

// results matches the lines that package testing itself prints: with
// -test.v=test2json it marks them with a control character, which tells them
// from lines that a test prints.
var (
	results = regexp.MustCompile(`(?m)\x16 *--- (PASS|FAIL|SKIP): (\S+) \(`)
	begins  = regexp.MustCompile(`(?m)\x16=== RUN +([^/\s]+)$`)
)

// byRound cuts the output where the first of its tests begins once more.
func (a answer) byRound() [][]byte {
	var parts [][]byte
	var seen []string
	from := 0
	for _, at := range begins.FindAllSubmatchIndex(a.output, -1) {
		test := string(a.output[at[2]:at[3]])
		if slices.Contains(seen, test) {
			parts = append(parts, a.output[from:at[0]])
			from, seen = at[0], nil
		}
		seen = append(seen, test)
	}
	return append(parts, a.output[from:])
}

// printedBy returns the output of a test of the first level, with those below
// it, in the first round in which it failed; if it did not, in the first of
// all.
func (a answer) printedBy(test string) []byte {
	var passed, failed []string
	for _, round := range a.byRound() {
		_, _ = trial.Read(bytes.NewReader(round), func(t trial.Test) { // bytes are always there to be read
			switch {
			case t.Name != test:
			case !t.Passed && failed == nil:
				failed = t.Raw
			case passed == nil:
				passed = t.Raw
			}
		})
	}
	if failed == nil {
		failed = passed
	}
	return []byte(strings.Join(failed, "\n"))
}

// runName returns a test's name as package testing prints it.
func runName(test string) string { return strings.Join(strings.Fields(test), "_") }

// runPattern returns a regular expression for each level of a test's name.
func runPattern(test string) string {
	levels := strings.Split(runName(test), "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}

// AnyOf returns a regular expression for tests of the first level.
func AnyOf(tests []string) string { return "^(" + strings.Join(tests, "|") + ")$" }
