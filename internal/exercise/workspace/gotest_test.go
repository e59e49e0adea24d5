package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
	"reconcile/internal/openexercises"
)

const rightPlan = `	if len(running) < desired {
		return desired - len(running), nil
	}
	return 0, slices.Sorted(slices.Values(running))[desired:]
`

func TestTestJudgesAndRemembers(t *testing.T) {
	r := newReader(t)
	done, failed := r.test("1.1")
	assert.False(t, done.Own)
	assert.True(t, done.Result.Passed())
	assert.Empty(t, failed)
	assert.Equal(t, Record{}, r.line("1.1").Record, "the book's own answer is no attempt")

	r.start("1.1")
	done, failed = r.test("1.1")
	assert.Equal(t, "2 of 2 fail", done.Result.String())
	assert.Equal(t, []string{"plan"}, done.Empty)
	assert.Nil(t, done.LooksLike, "nothing is written yet")
	assert.Equal(t, []trial.Failure{{
		Test: "TestPlanCreatesWhatIsMissing", At: "plan_test.go:13", Says: "3 desired, 1 running: created 0",
	}}, failed["TestPlanCreatesWhatIsMissing"].Failures)
	assert.Equal(t, 1, r.line("1.1").Attempts)
	assert.Equal(t, "started", r.line("1.1").State())
	assert.Equal(t, []string{"TestPlanCreatesWhatIsMissing", "TestPlanDeletesTheLastByName"}, r.line("1.1").Failing)
	assert.False(t, r.line("1.1").Tested.Before(r.line("1.1").Started))
	assert.Zero(t, r.line("1.1").Ended)

	r.replace(planGo, "\treturn 0, nil\n", rightPlan)
	done, _ = r.test("1.1")
	assert.True(t, done.Result.NoBuild)
	assert.Equal(t, "chapters/01-counting/plan.go:18:12: undefined: slices\n", done.Compiler)
	assert.Equal(t, "does not build", r.line("1.1").Last)

	r.replace(planGo, "import (\n", "import (\n\t\"slices\"\n")
	done, _ = r.test("1.1")
	assert.Equal(t, "2 of 2 pass", done.Result.String())
	assert.Equal(t, "passing", r.line("1.1").State())
	assert.Equal(t, 3, r.line("1.1").Attempts)
	assert.Empty(t, r.line("1.1").Failing)
	passed := r.line("1.1").Ended
	assert.Equal(t, r.line("1.1").Tested, passed)
	r.test("1.1")
	assert.Equal(t, passed, r.line("1.1").Ended, "when it passed first")

	next, err := r.Next(t.Context(), "1.1")
	require.NoError(t, err)
	assert.Equal(t, "1.2", next.Number)
	next, err = r.Next(t.Context(), "1.2")
	require.NoError(t, err)
	assert.Nil(t, next, "1.1 is passed")

	r.replace(planGo, rightPlan, "\treturn 0, nil\n")
	r.test("1.1")
	assert.Equal(t, "passed", r.line("1.1").State(), "a slip after it has passed opens nothing")
	next, err = r.Next(t.Context(), "1.2")
	require.NoError(t, err)
	assert.Nil(t, next, "1.1 stays passed")
}

func TestAPassCountsForOnesOwnCodeOnly(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1.1")
	r.git("stash")
	done, _ := r.test("1.1")
	assert.True(t, done.Started)
	assert.False(t, done.Own)
	assert.True(t, done.Result.Passed())
	assert.Zero(t, r.line("1.1").Attempts)
	assert.Equal(t, "started", r.line("1.1").State())

	r.git("stash", "pop")
	done, _ = r.test("1.1")
	assert.True(t, done.Own)
	assert.Equal(t, 1, r.line("1.1").Attempts)
}

// A reader who skips an exercise, or leaves it half done, is judged by
// what the next one asks.
func TestTestTakesTheBooksVersionOfOtherExercises(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	r.start("1.2")
	r.replace(planGo, "// go run ./cmd/lab exercise test 1.1\n\treturn 0, nil\n", rightPlan)
	r.replace(planGo, "package counting\n", "package counting\n\nimport \"slices\"\n")
	r.write("chapters/01-counting/stands_test.go", "package counting\n\nimport \"testing\"\n\n"+
		"// It stands on another exercise.\n//\n//book:exercise 1.1\nfunc TestStands(t *testing.T) {\n"+
		"\tif describe(1, nil) == \"\" {\n\t\tt.Error(\"it says nothing\")\n\t}\n}\n")
	done, _ := r.test("1.1")
	assert.Equal(t, []string{"1.2"}, done.Others)
	assert.Equal(t, "3 of 3 pass", done.Result.String())
	assert.Contains(t, r.read(planGo), "yours to write", "no file has changed")

	done, _ = r.test("1.2")
	assert.Empty(t, done.Others, "1.1 has passed")

	done, failed := r.testOn("1.1", true)
	assert.Empty(t, done.Others)
	assert.Contains(t, failed, "TestStands")

	r.write(counterGo, "package counting\n\nfunc (")
	done, _ = r.test("1.1")
	assert.Equal(t, "3 of 3 pass", done.Result.String(), "not even what does not parse")
}

func TestAKnownWrongAnswerIsNamed(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	r.replace(planGo, "\treturn 0, nil\n", "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]\n")
	done, _ := r.test("1.1")
	require.NotNil(t, done.LooksLike)
	assert.Equal(t, "It deletes whoever is listed last", done.LooksLike.Name)
	assert.Equal(t, "Lists come in any order.", done.LooksLike.Why)
}

// A test that holds on the stub, too, has no mark.
func TestATestThatReachesTheFunctionsJudgesOnceTheMarkedOnesPass(t *testing.T) {
	r := newReader(t)
	r.replace("chapters/01-counting/plan_test.go", "// The order of the deleted is by name.\n//\n//book:exercise 1.1\n", "")
	r.write("chapters/01-counting/exercises/reach.txt", "TestPlanDeletesTheLastByName 5 1.1\nTestDescribeNamesTheDeleted 5 1.1 1.2\n")
	r.start("1.1")
	done, failed := r.test("1.1")
	assert.Equal(t, "1 of 1 fail", done.Result.String())
	assert.Len(t, failed, 1, "the others have nothing to add")

	r.replace(planGo, "\treturn 0, nil\n", "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]\n")
	done, failed = r.test("1.1")
	assert.Equal(t, "1 of 3 fail", done.Result.String())
	assert.Contains(t, failed, "TestPlanDeletesTheLastByName")
	assert.Equal(t, 1, done.Also, "one passes")
	require.NotNil(t, done.LooksLike)
	assert.Equal(t, "It deletes whoever is listed last", done.LooksLike.Name)

	r.start("1.2")
	done, _ = r.testOn("1.1", true)
	assert.Equal(t, "1 of 1 pass", done.Result.String(), "they may fail for the sake of another exercise that is open")
	done, _ = r.test("1.1")
	assert.Equal(t, "1 of 3 fail", done.Result.String())
}

func TestTestShowsAPanic(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	r.replace(planGo, "return 0, nil", "panic(\"lost\")")
	done, failed := r.test("1.1")
	assert.False(t, done.Result.Passed())
	assert.Contains(t, strings.Join(failed["TestPlanCreatesWhatIsMissing"].Printed, "\n"), "panic: lost")
}

func TestTestEndsWithItsContextAndRecordsNothing(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Test(ctx, "1.1", false, Telling{Begins: func(Tested) { cancel() }})
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

func TestWhatComesLaterHasNoPartInATest(t *testing.T) {
	s := &session{progress: newProgress()}
	for _, number := range []string{"1.2", "2.10", "2.9", "3.1"} {
		*s.progress.recordOf(number) = Record{Started: time.Now(), Files: []string{planGo}}
	}
	assert.Equal(t, []string{"1.2", "2.9"}, s.others("2.10"))
}

func TestALongBuildIsAnnounced(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	said := make(chan string, 2)
	r.Warn, r.patience = func(message string) { said <- message }, 0
	r.test("1.1")
	assert.Contains(t, <-said+<-said, "the first time that takes a minute or more")
}

func TestWhatATestAsksMayGoOnBelow(t *testing.T) {
	r := newReader(t)
	r.write("chapters/01-counting/asks_test.go", "package counting\n\nfunc asks() {\n\tassert.Equal(t, 1,\n\t\tplan(2, 1))\n}\n")
	e := r.line("1.1").Exercise
	assert.Equal(t, "assert.Equal(t, 1, plan(2, 1))", r.Assertion(e, "asks_test.go:4"))
	assert.Equal(t, "plan(2, 1))", r.Assertion(e, "asks_test.go:5"))
	for _, nowhere := range []string{"", "asks_test.go:0", "asks_test.go:99", "gone_test.go:1"} {
		assert.Empty(t, r.Assertion(e, nowhere))
	}
}

func TestTheCompilerIsCutShort(t *testing.T) {
	said := compilerSays("# book [book.test]\n"+strings.Repeat("./plan.go:1:1: oh\n", 12), "chapters/01-counting")
	assert.Equal(t, strings.Repeat("chapters/01-counting/plan.go:1:1: oh\n", 10)+"… and 2 more\n", said)
}

func TestATestThatComesToNoEndIsGivenUpSoon(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	r.replace(planGo, "import (\n", "import (\n\t\"os\"\n\t\"slices\"\n")
	r.replace(planGo, "\treturn 0, nil\n", "\tif os.Getenv(\""+openexercises.SoonEnv+"\") == \"\" {\n\t\treturn 0, nil\n\t}\n"+rightPlan)
	done, _ := r.test("1.1")
	assert.Equal(t, "2 of 2 pass", done.Result.String(), "%s", done.Compiler)
}

func TestWithoutGoThatIsSaid(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	t.Setenv("PATH", "")
	_, err := r.Test(t.Context(), "1.1", false, Telling{Begins: func(Tested) {}})
	assert.ErrorContains(t, err, "the tests cannot be built")
	assert.ErrorContains(t, err, "go")
}
