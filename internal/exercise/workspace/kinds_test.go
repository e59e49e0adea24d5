package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sheet13 = "mine/1.3.txt"

// newReaderOfKinds returns a reader with an exercise of each other kind, too:
// 1.3 to 1.6.
func newReaderOfKinds(t *testing.T) *reader {
	t.Helper()
	r := newReader(t)
	require.NoError(t, os.CopyFS(r.path("chapters/01-counting"), os.DirFS(filepath.Join("..", "testdata", "kinds"))))
	return r
}

func TestAPredictionIsWrittenIntoASheetAndHeldAgainstTheRun(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(planGo)
	done := r.start("1.3")
	assert.Equal(t, sheet13, done.Sheet)
	assert.Equal(t, before, r.read(planGo), "no code is touched")
	r.replace(sheet13, "create  a\n", "create a\ncreate b\nrest\n")

	tested, _ := r.test("1.3")
	assert.False(t, tested.Result.Passed())
	assert.Equal(t, "2 of 3 lines are as in the run.\nLine 3 is another in the run: you say \"rest\".", tested.Compared.Text(false))
	assert.Equal(t, "It stops too early", tested.Compared.Why.Name)
	assert.Equal(t, "2 of 3 lines", r.line("1.3").Last)

	r.start("1.3")
	assert.Contains(t, r.read(sheet13), "rest", "what was written stays")
	r.replace(sheet13, "rest", "create c")
	tested, _ = r.test("1.3")
	assert.True(t, tested.Result.Passed())
	assert.Equal(t, "passing", r.line("1.3").State())
	assert.Equal(t, 2, r.line("1.3").Attempts)

	r.replace(sheet13, "create c", "rest")
	tested, _ = r.test("1.3")
	assert.False(t, tested.Result.Passed())
	assert.Equal(t, "passed", r.line("1.3").State(), "a slip after it has passed opens nothing")
	assert.True(t, r.line("1.3").Done())
	next, err := r.NextToDo(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1.4", next.Number)
	r.replace(sheet13, "rest", "create c")
	r.test("1.3")
	assert.Equal(t, "passing", r.line("1.3").State())

	put := r.reset("1.3")
	assert.Contains(t, r.read(put.Kept+"/1.3.txt"), "create c")
	assert.NoFileExists(t, r.path(sheet13))
	assert.Equal(t, "untouched", r.line("1.3").State())
	_, err = r.Test(t.Context(), "1.3", false, Telling{})
	assert.ErrorContains(t, err, "mine/1.3.txt is not there; `go run ./cmd/lab exercise start 1.3` makes it")
}

func TestWhatIsToBeDebuggedHasTheFaultUntilItIsMended(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(planGo)
	r.start("1.4")
	assert.Contains(t, r.read(planGo), "return describe(plan(len(running), running))")
	tested, _ := r.test("1.4")
	assert.Equal(t, 1, tested.Result.Fail)
	r.replace(planGo, "plan(len(running), running)", "plan(desired, running)")
	tested, _ = r.test("1.4")
	assert.True(t, tested.Result.Passed())
	r.replace(planGo, "plan(desired, running)", "plan(1, running)")
	r.reset("1.4")
	assert.Equal(t, before, r.read(planGo))
}

func TestAQuestionIsDoneWhenItsAnswerWasSeen(t *testing.T) {
	r := newReaderOfKinds(t)
	assert.Equal(t, "mine/1.5.txt", r.start("1.5").Sheet)
	assert.Contains(t, r.read("mine/1.5.txt"), "# Why count?\n")
	_, err := r.Test(t.Context(), "1.5", false, Telling{})
	assert.ErrorContains(t, err, "exercise 1.5 is a question, and no test judges what you think of it")
	assert.False(t, r.line("1.5").Done())
	e, err := r.Solution(t.Context(), "1.5")
	require.NoError(t, err)
	assert.Equal(t, "Because.", string(e.Answer))
	assert.True(t, r.line("1.5").Done())
	_, err = r.WriteSolution(t.Context(), "1.5")
	assert.EqualError(t, err, "exercise 1.5 has no functions to write; without --write its answer is shown")
	r.write("mine/1.5.txt", "Because of that.\n")
	assert.Equal(t, "Because of that.\n", r.read(r.reset("1.5").Kept+"/1.5.txt"))
}

func TestAPackageOfOnesOwnIsCutWhereItStands(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(ownGo)
	done := r.start("1.6")
	assert.Equal(t, []string{ownGo}, done.Files)
	assert.Contains(t, r.read(ownGo), "Exercise 1.6, Twice: yours to write.")
	tested, _ := r.test("1.6")
	assert.Equal(t, 1, tested.Result.Fail)
	require.NoError(t, os.Remove(r.path(ownGo)))
	r.reset("1.6")
	assert.Equal(t, before, r.read(ownGo), "also when it was thrown away")
	tested, _ = r.test("1.6")
	assert.Equal(t, 1, tested.Result.Pass)
}

const ownGo = "chapters/01-counting/exercises/1.6/twice.go"
