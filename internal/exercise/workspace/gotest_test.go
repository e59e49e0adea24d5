package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rightPlan = `	if len(running) < desired {
		return desired - len(running), nil
	}
	return 0, slices.Sorted(slices.Values(running))[desired:]
`

func TestTestJudgesAndRemembers(t *testing.T) {
	r := newReader(t)
	done, out := r.test("1.1")
	assert.False(t, done.Started)
	assert.True(t, done.Result.Passed())
	assert.Equal(t, "go test ./chapters/01-counting -run '^(TestPlanCreatesWhatIsMissing|TestPlanDeletesTheLastByName)$'", done.Command)
	assert.Regexp(t, `^  ✓ TestPlanCreatesWhatIsMissing \(\d.\d\ds\)\n  ✓ TestPlanDeletesTheLastByName \(\d.\d\ds\)\n$`, out)
	assert.Equal(t, Record{}, r.line("1.1").Record, "the book's own answer is no attempt")

	r.start("1.1")
	done, out = r.test("1.1")
	assert.Equal(t, "2 of 2 fail", done.Result.String())
	assert.Contains(t, out, "  ✗ TestPlanCreatesWhatIsMissing (0.00s)\n        plan_test.go:13: 3 desired, 1 running: created 0\n")
	assert.Contains(t, out, "--- FAIL: TestPlanDeletesTheLastByName/in_order")
	assert.Equal(t, 1, r.line("1.1").Attempts)
	assert.Equal(t, "started", r.line("1.1").State())

	r.replace(planGo, "\treturn 0, nil\n", rightPlan)
	done, out = r.test("1.1")
	assert.True(t, done.Result.NoBuild)
	assert.Contains(t, out, "undefined: slices")
	assert.Equal(t, "does not build", r.line("1.1").Last)

	r.replace(planGo, "import (\n", "import (\n\t\"slices\"\n")
	done, _ = r.test("1.1")
	assert.Equal(t, "2 of 2 pass", done.Result.String())
	assert.Equal(t, "passing", r.line("1.1").State())
	assert.Equal(t, 3, r.line("1.1").Attempts)

	next, err := r.Next(t.Context(), "1.1")
	require.NoError(t, err)
	assert.Equal(t, "1.2", next.Number)
	next, err = r.Next(t.Context(), "1.2")
	require.NoError(t, err)
	assert.Nil(t, next, "1.1 is passed")
}

func TestTestShowsAPanic(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	r.replace(planGo, "return 0, nil", "panic(\"lost\")")
	done, out := r.test("1.1")
	assert.False(t, done.Result.Passed())
	assert.Contains(t, out, "panic: lost")
}

func TestTestEndsWithItsContextAndRecordsNothing(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Test(ctx, "1.1", t.Output(), func(Tested) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, r.line("1.1").Attempts)
}

func TestWatchRunsNowAndAfterEverySave(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	ctx, cancel := context.WithCancel(t.Context())
	ran, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- r.Watch(ctx, "1.1", func(ctx context.Context) {
			select {
			case ran <- struct{}{}:
			case <-ctx.Done():
			}
		})
	}()
	<-ran
	r.write("chapters/01-counting/notes.txt", "not Go")
	r.replace(planGo, "return 0, nil", "return 1, nil")
	<-ran
	require.NoError(t, os.Rename(r.path(planGo), r.path(planGo)+".old"))
	require.NoError(t, os.Rename(r.path(planGo)+".old", r.path(planGo)))
	<-ran
	cancel()
	require.NoError(t, <-ended)
}

func TestWatchTakesTheExerciseStartedLast(t *testing.T) {
	r := newReader(t)
	_, err := r.Latest(t.Context())
	require.ErrorContains(t, err, "no exercise is started")
	r.start("1.2")
	r.start("1.1")
	number, err := r.Latest(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1.1", number)
	require.ErrorContains(t, r.Watch(t.Context(), "1.9", nil), "there is no exercise")
	assert.NoFileExists(t, filepath.Join(r.disk.scratch, "01-counting"))
}
