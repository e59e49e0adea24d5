package exercise

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise/trial"
	"reconcile/internal/open"
)

// An outcome is how a test ended.
type outcome string

const (
	passed   outcome = "passes"
	failed   outcome = "fails" // by its own assertion
	crashed  outcome = "panics"
	timedOut outcome = "does not come to an end"
	wavering outcome = "sometimes passes and sometimes fails"
	absent   outcome = "did not run"
	ended    outcome = "comes to an end"
)

// A verdict is what one test says of one binary.
type verdict struct {
	outcome outcome
	detail  []byte // the output that shows it
}

// A test is asked several times, and on machines of several sizes: what holds
// only sometimes teaches a reader the wrong thing.
const (
	processors = "1,2,4"
	times      = 2 // on each
	repeats    = 3 * times
)

// A binary is a chapter's tests, to be run in its folder, and which of the
// variants in it they shall see; "" for the chapter itself.
type binary struct {
	dir, path, choice string
}

// run runs one test, "TestPlan" or "TestPlan/no Pods".
func (b binary) run(ctx context.Context, test string, timeout time.Duration) verdict {
	output, exitCode, err := b.start(ctx, timeout, open.PlainEnv+"=1", "-test.run", runPattern(test), "-test.v=test2json",
		"-test.cpu", processors, "-test.count", strconv.Itoa(times))
	if err != nil {
		return verdict{crashed, []byte(err.Error())}
	}
	return verdictIn(output, exitCode, runName(test))
}

// wholes is how many times the time of one test all tests of a chapter have.
const wholes = 12

// runAll runs all tests, and tells whether they come to an end, as those of a
// chapter with an open exercise must.
func (b binary) runAll(ctx context.Context, number string, timeout time.Duration) verdict {
	output, exitCode, err := b.start(ctx, timeout, open.Env+"="+number)
	switch {
	case err != nil:
		return verdict{crashed, []byte(err.Error())}
	case bytes.Contains(output, timedOutSays):
		return verdict{timedOut, panicIn(output)}
	case exitCode != 0 && exitCode != 1:
		return verdict{crashed, panicIn(output)}
	}
	return verdict{ended, nil}
}

// hear returns what the tests that judge an exercise say while it is open.
func (b binary) hear(ctx context.Context, e *Exercise, processors string, timeout time.Duration) (Saying, error) {
	output, _, err := b.start(ctx, wholes*timeout, open.Env+"="+e.Number, "-test.run", e.TestPattern(), "-test.v=test2json",
		"-test.cpu", processors)
	if err != nil {
		return nil, err
	}
	var failures []trial.Failure
	_, err = trial.Read(bytes.NewReader(output), func(t trial.Test) { failures = append(failures, t.Failures...) })
	return Said(failures), err
}

// start runs the binary to its end.
func (b binary) start(ctx context.Context, timeout time.Duration, env string, args ...string) (output []byte, exitCode int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*timeout) // should the binary's own clock fail
	defer cancel()
	command := exec.CommandContext(ctx, b.path, append(args, "-test.timeout", timeout.String())...)
	command.Dir = b.dir
	command.Env = append(os.Environ(), chooserEnv+"="+b.choice, env)
	command.WaitDelay = time.Second
	output, err = command.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return nil, 0, err
	}
	return output, command.ProcessState.ExitCode(), nil
}

var timedOutSays = []byte("panic: test timed out after ")

// verdictIn reads a test's outcome from the output of a run. A test binary exits
// with 0 or 1; any other code is the runtime's, after a panic.
func verdictIn(output []byte, exitCode int, name string) verdict {
	if bytes.Contains(output, timedOutSays) {
		return verdict{timedOut, panicIn(output)}
	}
	if exitCode != 0 && exitCode != 1 {
		return verdict{crashed, panicIn(output)}
	}
	ended := make(map[string]int)
	for _, result := range results.FindAllSubmatch(output, -1) {
		if string(result[2]) == name {
			ended[string(result[1])]++
		}
	}
	switch {
	case ended["PASS"] == repeats:
		return verdict{passed, nil}
	case ended["FAIL"] == repeats:
		return verdict{failed, unmarked(output)}
	case ended["PASS"] > 0 && ended["FAIL"] > 0:
		return verdict{wavering, unmarked(output)}
	}
	return verdict{absent, unmarked(output)}
}

// results matches the lines that package testing itself prints: with
// -test.v=test2json it marks them with a control character, which tells them
// from lines that a test prints.
var results = regexp.MustCompile(`(?m)\x16 *--- (PASS|FAIL|SKIP): (\S+) \(`)

var stacks = regexp.MustCompile(`(?m)^\s*goroutine \d+ `)

// panicIn returns what the process said before it died, without the stacks.
func panicIn(output []byte) []byte {
	if at := stacks.FindIndex(output); at != nil {
		output = output[:at[0]]
	}
	return unmarked(output)
}

func unmarked(output []byte) []byte { return bytes.ReplaceAll(output, []byte{0x16}, nil) }

// runName is a test's name as package testing prints it.
func runName(test string) string { return strings.Join(strings.Fields(test), "_") }

// runPattern is a regular expression for each level of a test's name.
func runPattern(test string) string {
	levels := strings.Split(runName(test), "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}
