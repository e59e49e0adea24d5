package workspace

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// testTimeout ends tests of which an answer never lets go.
const testTimeout = time.Minute

// A Result counts the tests of a run; subtests count with their test.
type Result struct {
	Pass, Fail int
	NoBuild    bool
}

// Passed tells whether there were tests and none failed.
func (r Result) Passed() bool { return r.Pass > 0 && r.Fail == 0 && !r.NoBuild }

func (r Result) String() string {
	switch {
	case r.NoBuild:
		return "does not build"
	case r.Pass+r.Fail == 0:
		return "no test ran"
	case r.Fail == 0:
		return fmt.Sprintf("%d of %d pass", r.Pass, r.Pass)
	}
	return fmt.Sprintf("%d of %d fail", r.Fail, r.Pass+r.Fail)
}

// runTests runs go test and tells its story to out as it goes.
func runTests(ctx context.Context, root, folder, pattern string, out io.Writer) (Result, error) {
	command := exec.CommandContext(ctx, "go", "test", "-json", "-timeout", testTimeout.String(), "-run", pattern, folder)
	command.Dir = root
	endTogether(command)
	command.WaitDelay = 2 * time.Second
	events, err := command.StdoutPipe()
	if err != nil {
		return Result{}, err
	}
	command.Stderr = out
	if err := command.Start(); err != nil {
		return Result{}, fmt.Errorf("go test: %w", err)
	}
	story := newStory(out)
	told := story.tell(events)
	err = command.Wait()
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("go test: %w", err)
	}
	if err != nil && story.result.Fail == 0 {
		story.result.NoBuild = true // or died before a test could say so
	}
	return story.result, told
}

// An event is a line of go test -json.
type event struct {
	Action  string
	Test    string
	Output  string
	Elapsed float64
}

// A story turns events into lines for a reader: one for each test, and below
// those that fail what they printed.
type story struct {
	out    io.Writer
	result Result
	output map[string]*strings.Builder // by test; "" is the package's
}

func newStory(out io.Writer) *story {
	return &story{out: out, output: make(map[string]*strings.Builder)}
}

func (s *story) tell(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			s.take(e)
		} else {
			s.out.Write(line) // the go tool's own words
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *story) take(e event) {
	test, sub, _ := strings.Cut(e.Test, "/")
	switch {
	case e.Action == "output":
		s.keep(test, e.Output)
	case e.Action == "build-output":
		fmt.Fprint(s.out, e.Output)
	case sub != "":
	case e.Action == "pass" && test != "":
		s.result.Pass++
		fmt.Fprintf(s.out, "  ✓ %s (%.2fs)\n", test, e.Elapsed)
	case e.Action == "fail" && test != "":
		s.result.Fail++
		fmt.Fprintf(s.out, "  ✗ %s (%.2fs)\n%s", test, e.Elapsed, s.said(test))
	case e.Action == "fail" && s.result.Fail == 0:
		fmt.Fprint(s.out, s.said(""))
	}
}

// keep remembers what a test prints, less what the go tool says about it.
func (s *story) keep(test, line string) {
	trimmed := strings.TrimSpace(line)
	own := "--- FAIL: " + test + " "
	if strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- PASS") || strings.HasPrefix(trimmed, own) {
		return
	}
	if s.output[test] == nil {
		s.output[test] = new(strings.Builder)
	}
	s.output[test].WriteString("    " + line)
}

func (s *story) said(test string) string {
	if s.output[test] == nil {
		return ""
	}
	return s.output[test].String()
}
