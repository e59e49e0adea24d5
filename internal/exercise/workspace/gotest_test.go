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
	done, failed := r.test("1b")
	assert.False(t, done.Own)
	assert.True(t, done.Result.Passed())
	assert.Empty(t, failed)
	assert.Equal(t, Record{}, r.line("1b").Record, "the book's own answer is no attempt")

	r.start("1b")
	done, failed = r.test("1b")
	assert.Equal(t, "2 of 2 fail", done.Result.String())
	assert.Equal(t, []string{"plan"}, done.Empty)
	assert.Nil(t, done.LooksLike, "nothing is written yet")
	assert.Equal(t, []trial.Failure{{
		Test: "TestPlanCreatesWhatIsMissing", At: "plan_test.go:13", Says: "3 desired, 1 running: created 0",
	}}, failed["TestPlanCreatesWhatIsMissing"].Failures)
	assert.Equal(t, 1, r.line("1b").Attempts)
	assert.Equal(t, "started", r.line("1b").State())
	assert.Equal(t, []string{"TestPlanCreatesWhatIsMissing", "TestPlanDeletesTheLastByName"}, r.line("1b").Failing)
	assert.False(t, r.line("1b").Tested.Before(r.line("1b").Started))
	assert.Zero(t, r.line("1b").Ended)

	r.replace(planGo, "\treturn 0, nil\n", rightPlan)
	done, _ = r.test("1b")
	assert.True(t, done.Result.NoBuild)
	assert.Equal(t, "chapters/01-counting/plan.go:18:12: undefined: slices\n", done.Compiler)
	assert.Equal(t, "does not build", r.line("1b").Last)

	r.replace(planGo, "import (\n", "import (\n\t\"slices\"\n")
	done, _ = r.test("1b")
	assert.Equal(t, "2 of 2 pass", done.Result.String())
	assert.Equal(t, "passing", r.line("1b").State())
	assert.Equal(t, 3, r.line("1b").Attempts)
	assert.Empty(t, r.line("1b").Failing)
	passed := r.line("1b").Ended
	assert.Equal(t, r.line("1b").Tested, passed)
	r.test("1b")
	assert.Equal(t, passed, r.line("1b").Ended, "when it passed first")

	next, err := r.Next(t.Context(), "1b")
	require.NoError(t, err)
	assert.Equal(t, "1c", next.Number)
	next, err = r.Next(t.Context(), "1c")
	require.NoError(t, err)
	assert.Nil(t, next, "1b is passed")

	r.replace(planGo, rightPlan, "\treturn 0, nil\n")
	r.test("1b")
	assert.Equal(t, "passed", r.line("1b").State(), "a slip after it has passed opens nothing")
	next, err = r.Next(t.Context(), "1c")
	require.NoError(t, err)
	assert.Nil(t, next, "1b stays passed")
}

func TestAPassCountsForOnesOwnCodeOnly(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1b")
	r.git("stash")
	done, _ := r.test("1b")
	assert.True(t, done.Started)
	assert.False(t, done.Own)
	assert.True(t, done.Result.Passed())
	assert.Zero(t, r.line("1b").Attempts)
	assert.Equal(t, "started", r.line("1b").State())

	r.git("stash", "pop")
	done, _ = r.test("1b")
	assert.True(t, done.Own)
	assert.Equal(t, 1, r.line("1b").Attempts)
}

// A reader who skips an exercise, or leaves it half done, is judged by
// what the next one asks.
func TestTestTakesTheBooksVersionOfOtherExercises(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.start("1c")
	r.replace(planGo, "// go run ./cmd/lab exercise test 1b\n\treturn 0, nil\n", rightPlan)
	r.replace(planGo, "package counting\n", "package counting\n\nimport \"slices\"\n")
	r.write("chapters/01-counting/stands_test.go", "package counting\n\nimport \"testing\"\n\n"+
		"// It stands on another exercise.\n//\n//book:exercise 1b\nfunc TestStands(t *testing.T) {\n"+
		"\tif describe(1, nil) == \"\" {\n\t\tt.Error(\"it says nothing\")\n\t}\n}\n")
	done, _ := r.test("1b")
	assert.Equal(t, []string{"1c"}, done.Others)
	assert.Equal(t, "3 of 3 pass", done.Result.String())
	assert.Contains(t, r.read(planGo), "yours to write", "no file has changed")

	done, _ = r.test("1c")
	assert.Empty(t, done.Others, "1b has passed")

	done, failed := r.testOn("1b", true)
	assert.Empty(t, done.Others)
	assert.Contains(t, failed, "TestStands")

	r.write(counterGo, "package counting\n\nfunc (")
	done, _ = r.test("1b")
	assert.Equal(t, "3 of 3 pass", done.Result.String(), "not even what does not parse")
}

func TestAKnownWrongAnswerIsNamed(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.replace(planGo, "\treturn 0, nil\n", "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]\n")
	done, _ := r.test("1b")
	require.NotNil(t, done.LooksLike)
	assert.Equal(t, "It deletes whoever is listed last", done.LooksLike.Name)
	assert.Equal(t, "Lists come in any order.", done.LooksLike.Why)
}

// A test that holds on the stub, too, has no mark.
func TestATestThatReachesTheFunctionsJudgesOnceTheMarkedOnesPass(t *testing.T) {
	r := newReader(t)
	r.replace("chapters/01-counting/plan_test.go", "// The order of the deleted is by name.\n//\n//book:exercise 1b\n", "")
	r.write("chapters/01-counting/exercises/reach.txt", "TestPlanDeletesTheLastByName 5 1b\nTestDescribeNamesTheDeleted 5 1b 1c\n")
	r.start("1b")
	done, failed := r.test("1b")
	assert.Equal(t, "1 of 1 fail", done.Result.String())
	assert.Len(t, failed, 1, "the others have nothing to add")

	r.replace(planGo, "\treturn 0, nil\n", "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]\n")
	done, failed = r.test("1b")
	assert.Equal(t, "1 of 3 fail", done.Result.String())
	assert.Contains(t, failed, "TestPlanDeletesTheLastByName")
	assert.Equal(t, 1, done.Also, "one passes")
	require.NotNil(t, done.LooksLike)
	assert.Equal(t, "It deletes whoever is listed last", done.LooksLike.Name)

	r.start("1c")
	done, _ = r.testOn("1b", true)
	assert.Equal(t, "1 of 1 pass", done.Result.String(), "they may fail for the sake of another exercise that is open")
	done, _ = r.test("1b")
	assert.Equal(t, "1 of 3 fail", done.Result.String())
}

func TestTestShowsAPanic(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.replace(planGo, "return 0, nil", "panic(\"lost\")")
	done, failed := r.test("1b")
	assert.False(t, done.Result.Passed())
	assert.Contains(t, strings.Join(failed["TestPlanCreatesWhatIsMissing"].Printed, "\n"), "panic: lost")
}

func TestTestEndsWithItsContextAndRecordsNothing(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Test(ctx, "1b", false, Telling{Begins: func(Tested) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, r.line("1b").Attempts)
}

func TestWatchRunsNowAndAfterEverySave(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	ctx, cancel := context.WithCancel(t.Context())
	ran, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- r.Watch(ctx, "1b", func(ctx context.Context) {
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
	r.start("1c")
	r.start("1b")
	number, err := r.Latest(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1b", number)
	require.ErrorContains(t, r.Watch(t.Context(), "1j", nil), "there is no exercise")
	assert.NoFileExists(t, filepath.Join(r.disk.scratch, "01-counting"))
}

func TestWhatComesLaterHasNoPartInATest(t *testing.T) {
	s := &session{progress: newProgress()}
	for _, number := range []string{"1c", "2j", "2i", "3a"} {
		*s.progress.recordOf(number) = Record{Started: time.Now(), Files: []string{planGo}}
	}
	assert.Equal(t, []string{"1c", "2i"}, s.others("2j"))
}

func TestALongBuildIsAnnounced(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	said := make(chan string, 2)
	r.Warn, r.patience = func(message string) { said <- message }, 0
	r.test("1b")
	assert.Contains(t, <-said+<-said, "the first time that takes a minute or more")
}

func TestWhatATestAsksMayGoOnBelow(t *testing.T) {
	r := newReader(t)
	r.write("chapters/01-counting/asks_test.go", "package counting\n\nfunc asks() {\n\tassert.Equal(t, 1,\n\t\tplan(2, 1))\n}\n")
	e := r.line("1b").Exercise
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
	r.start("1b")
	r.replace(planGo, "import (\n", "import (\n\t\"os\"\n\t\"slices\"\n")
	r.replace(planGo, "\treturn 0, nil\n", "\tif os.Getenv(\""+openexercises.SoonEnv+"\") == \"\" {\n\t\treturn 0, nil\n\t}\n"+rightPlan)
	done, _ := r.test("1b")
	assert.Equal(t, "2 of 2 pass", done.Result.String(), "%s", done.Compiler)
}

func TestWithoutGoThatIsSaid(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	t.Setenv("PATH", "")
	_, err := r.Test(t.Context(), "1b", false, Telling{Begins: func(Tested) {}})
	assert.ErrorContains(t, err, "the tests cannot be built")
	assert.ErrorContains(t, err, "go")
}
