package workspace

import (
	"context"
	"fmt"
	"os"
	"strings"

	"reconcile/internal/exercise/trial"
	"reconcile/internal/openexercises"
)

// A Result counts the tests of a run; subtests count with their test.
type Result struct {
	Pass, Fail int
	NoBuild    bool
}

// Passed reports whether the run had tests and none failed.
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

// A testRun is a run of the tests of an exercise, which is open meanwhile: one
// that panics, or comes to no end, fails like any other.
type testRun struct {
	binary, folder string
	number         string
	short          bool
	records        string // the folder for those of clusters; "": none are made
}

// runMatching runs the tests whose names match a pattern, and tells of each.
func (r testRun) runMatching(ctx context.Context, pattern string, ended func(trial.Test)) error {
	environment := append(os.Environ(), openexercises.Env+"="+r.number, openexercises.SoonEnv+"=1")
	if r.records != "" {
		environment = append(environment, openexercises.LookEnv+"="+r.records)
	}
	printed, end, err := r.start(ctx, environment, "-test.run", pattern, "-test.v=test2json",
		"-test.timeout", testTimeout.String(), "-test.paniconexit0", fmt.Sprintf("-test.short=%t", r.short))
	if err != nil {
		return err
	}
	told := 0
	rest, err := trial.Read(printed, func(t trial.Test) {
		if told++; ctx.Err() == nil {
			ended(t)
		}
	})
	code := end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := strings.Join(rest, "\n")
	if err == nil && told == 0 && !strings.Contains(said, "no tests to run") {
		return fmt.Errorf("the tests of %s did not run: their program ended before them, with exit code %d. "+
			"Is there an os.Exit, a log.Fatal or a panic in an init, or where a variable is declared?\n%s",
			r.number, code, strings.TrimSpace(said))
	}
	return err
}
