package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sheetOf1d = "mine/1d.txt"

// newReaderOfKinds returns a reader with an exercise of each other kind, too:
// 1d to 1g.
func newReaderOfKinds(t *testing.T) *reader {
	t.Helper()
	r := newReader(t)
	require.NoError(t, os.CopyFS(r.path("chapters/01-counting"), os.DirFS(filepath.Join("..", "testdata", "kinds"))))
	return r
}

func TestAPredictionIsWrittenIntoASheetAndHeldAgainstTheRun(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(planGo)
	done := r.start("1d")
	assert.Equal(t, sheetOf1d, done.Sheet)
	assert.Equal(t, before, r.read(planGo), "no code is touched")
	r.replace(sheetOf1d, "create  a\n", "create a\ncreate b\nrest\n")

	tested, _ := r.test("1d")
	assert.False(t, tested.Result.Passed())
	assert.Equal(t, "2 of 3 lines are as in the run.\nLine 3 is another in the run: you say \"rest\".", tested.Compared.Text(false))
	assert.Equal(t, "It stops too early", tested.Compared.Why.Name)
	assert.Equal(t, "2 of 3 lines", r.line("1d").Last)

	r.start("1d")
	assert.Contains(t, r.read(sheetOf1d), "rest", "what was written stays")
	r.replace(sheetOf1d, "rest", "create c")
	tested, _ = r.test("1d")
	assert.True(t, tested.Result.Passed())
	assert.Equal(t, "passing", r.line("1d").State())
	assert.Equal(t, 2, r.line("1d").Attempts)

	r.replace(sheetOf1d, "create c", "rest")
	tested, _ = r.test("1d")
	assert.False(t, tested.Result.Passed())
	assert.Equal(t, "passed", r.line("1d").State(), "a slip after it has passed opens nothing")
	assert.True(t, r.line("1d").Done())
	next, err := r.NextToDo(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1e", next.Number)
	r.replace(sheetOf1d, "rest", "create c")
	r.test("1d")
	assert.Equal(t, "passing", r.line("1d").State())

	put := r.reset("1d")
	assert.Contains(t, r.read(put.Kept+"/1d.txt"), "create c")
	assert.NoFileExists(t, r.path(sheetOf1d))
	assert.Equal(t, "untouched", r.line("1d").State())
	_, err = r.Test(t.Context(), "1d", false, Telling{})
	assert.ErrorContains(t, err, "mine/1d.txt is not there; `go run ./cmd/lab exercise start 1d` makes it")
}

func TestWhatIsToBeDebuggedHasTheFaultUntilItIsMended(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(planGo)
	r.start("1e")
	assert.Contains(t, r.read(planGo), "return describe(plan(len(running), running))")
	tested, _ := r.test("1e")
	assert.Equal(t, 1, tested.Result.Fail)
	r.replace(planGo, "plan(len(running), running)", "plan(desired, running)")
	assert.True(t, r.start("1e").Already, "the fault is not put in again")
	tested, _ = r.test("1e")
	assert.True(t, tested.Result.Passed())
	r.replace(planGo, "plan(desired, running)", "plan(1, running)")
	r.reset("1e")
	assert.Equal(t, before, r.read(planGo))
}

func TestAQuestionIsDoneWhenItsAnswerWasSeen(t *testing.T) {
	r := newReaderOfKinds(t)
	assert.Equal(t, "mine/1f.txt", r.start("1f").Sheet)
	assert.Contains(t, r.read("mine/1f.txt"), "# Why count?\n")
	_, err := r.Test(t.Context(), "1f", false, Telling{})
	assert.ErrorContains(t, err, "exercise 1f is a question, and no test judges what you think of it")
	assert.False(t, r.line("1f").Done())
	e, err := r.Solution(t.Context(), "1f")
	require.NoError(t, err)
	assert.Equal(t, "Because.", string(e.Answer))
	assert.True(t, r.line("1f").Done())
	_, err = r.WriteSolution(t.Context(), "1f")
	assert.EqualError(t, err, "exercise 1f has no functions to write; without --write its answer is shown")
	r.write("mine/1f.txt", "Because of that.\n")
	assert.Equal(t, "Because of that.\n", r.read(r.reset("1f").Kept+"/1f.txt"))
}

func TestAPackageOfOnesOwnIsCutWhereItStands(t *testing.T) {
	r := newReaderOfKinds(t)
	before := r.read(ownGo)
	done := r.start("1g")
	assert.Equal(t, []string{ownGo}, done.Files)
	assert.Contains(t, r.read(ownGo), "Exercise 1g, Twice: yours to write.")
	tested, _ := r.test("1g")
	assert.Equal(t, 1, tested.Result.Fail)
	require.NoError(t, os.Remove(r.path(ownGo)))
	assert.Empty(t, r.reset("1g").Kept)
	assert.Equal(t, before, r.read(ownGo), "also when it was thrown away")
	tested, _ = r.test("1g")
	assert.Equal(t, 1, tested.Result.Pass)
}

const ownGo = "chapters/01-counting/exercises/1g/twice.go"
