package workspace

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResetPutsOneExerciseBackAndKeepsMine(t *testing.T) {
	r := newReaderWithGit(t)
	plan := r.read(planGo)
	r.start("1b")
	r.replace(planGo, "return 0, nil", "return desired, nil")
	r.replace(planGo, "// apply carries", "// My apply carries")
	mine := r.read(planGo)

	done := r.reset("1b")
	assert.Equal(t, []string{planGo}, done.Files)
	assert.Equal(t, ".reconcile/kept/1b/1-reset", done.Kept)
	assert.Equal(t, mine, r.read(done.Kept+"/plan.go"))
	r.replace(planGo, "// My apply carries", "// apply carries")
	assert.Equal(t, plan, r.read(planGo), "the function is back, the comment was mine")
	assert.Equal(t, "untouched", r.line("1b").State())

	r.start("1b")
	r.replace(planGo, "return 0, nil", "return desired, nil")
	assert.Equal(t, ".reconcile/kept/1b/2-reset", r.reset("1b").Kept, "no copy replaces another")
}

func TestResetOfAStubKeepsNothing(t *testing.T) {
	r := newReaderOfKinds(t)
	all := []string{"1b", "1c", "1d", "1e"}
	for _, number := range append(all, all...) {
		if put := r.start(number); put.Already {
			done := r.reset(number)
			assert.NotEmpty(t, done.Files, number)
			assert.Empty(t, done.Kept, number)
			r.start(number)
		}
	}
	done, err := r.ResetAll(t.Context())
	require.NoError(t, err)
	assert.Empty(t, done.Kept)
}

func TestResetWithoutAStartPutsBackWhatDiffers(t *testing.T) {
	r := newReaderWithGit(t)
	assert.Empty(t, r.reset("1b").Files)
	plan := r.read(planGo)
	r.replace(planGo, "return 0, doomed[desired:]", "return 0, doomed")
	assert.Equal(t, []string{planGo}, r.reset("1b").Files)
	assert.Equal(t, plan, r.read(planGo))
}

func TestAFileThatIsMissingIsSaidToBeAndResetBringsItBack(t *testing.T) {
	r := newReaderWithGit(t)
	plan, tests := r.read(planGo), "chapters/01-counting/plan_test.go"
	for _, file := range []string{planGo, tests} {
		require.NoError(t, os.Remove(r.path(file)))
	}
	for name, command := range map[string]func() error{
		"start": func() error { _, err := r.Start(t.Context(), "1b"); return err },
		"test":  func() error { _, err := r.Test(t.Context(), "1c", false, Telling{}); return err },
		"list":  func() error { _, err := r.Overview(t.Context()); return err },
	} {
		assert.EqualError(t, command(), IsMissing(planGo)+"\n"+IsMissing(tests), name)
	}
	assert.Equal(t, []string{planGo, tests}, r.reset("1c").Missing, "of an exercise of the same chapter")
	assert.Equal(t, plan, r.read(planGo))
	assert.Empty(t, r.reset("1c").Missing)
}

func TestAMissingFileWithoutExercisesIsNamedWhereTheTestsDoNotBuild(t *testing.T) {
	r := newReader(t)
	r.write("chapters/01-counting/sum.go", "package counting\n\nfunc sum(a, b int) int { return a + b }\n")
	r.write(planGo, r.read(planGo)+"\nvar three = sum(1, 2)\n")
	r.git("init", "-q")
	r.commit()
	r.start("1b")
	require.NoError(t, os.Remove(r.path("chapters/01-counting/sum.go")))
	done, _ := r.test("1b")
	assert.True(t, done.Result.NoBuild)
	assert.Equal(t, []string{"chapters/01-counting/sum.go"}, done.Gone)
	assert.Equal(t, done.Gone, r.reset("1b").Missing)
	done, _ = r.test("1b")
	assert.False(t, done.Result.NoBuild)
}

func TestWithoutGitAMissingFileIsWhatItsLackMakesWrong(t *testing.T) {
	r := newReader(t)
	require.NoError(t, os.Remove(r.path(planGo)))
	_, err := r.Start(t.Context(), "1b")
	assert.ErrorContains(t, err, "no function is marked //book:exercise 1b")
}

func TestResetOfAFileThatDoesNotParseNeedsAWord(t *testing.T) {
	r := newReaderWithGit(t)
	plan := r.read(planGo)
	r.start("1b")
	r.start("1c")
	r.replace(planGo, "return 0, nil", "return 0, nil }")
	mine := r.read(planGo)

	_, err := r.Reset(t.Context(), "1b", false)
	require.ErrorContains(t, err, planGo+":11:1: expected declaration, found '}'")
	require.ErrorContains(t, err, "put the whole file back with --file")
	assert.Equal(t, mine, r.read(planGo))

	done, err := r.Reset(t.Context(), "1b", true)
	require.NoError(t, err)
	assert.Equal(t, []string{"1c"}, done.Also)
	assert.Equal(t, mine, r.read(done.Kept+"/plan.go"))
	assert.Equal(t, plan, r.read(planGo))
	assert.Equal(t, "untouched", r.line("1c").State())
}

func TestSolutionIsRememberedUnlessItWasEarned(t *testing.T) {
	r := newReaderWithGit(t)
	e, err := r.Solution(t.Context(), "1c")
	require.NoError(t, err)
	assert.Len(t, e.Functions, 2)
	assert.Equal(t, "peeked", r.line("1c").State())

	passed := Record{Passed: true}
	passed.peek()
	assert.Equal(t, "passing", passed.State())
	assert.Equal(t, "passing (peeked)", Record{Passed: true, Peeked: true}.State())
}

func TestWritingTheSolutionKeepsMineAndStaysStarted(t *testing.T) {
	r := newReaderWithGit(t)
	plan := r.read(planGo)
	r.start("1b")
	r.replace(planGo, "return 0, nil", "return desired, nil")
	mine := r.read(planGo)
	done, err := r.WriteSolution(t.Context(), "1b")
	require.NoError(t, err)
	assert.Equal(t, ".reconcile/kept/1b/1-solution", done.Kept)
	assert.Equal(t, mine, r.read(done.Kept+"/plan.go"))
	assert.Equal(t, plan, r.read(planGo))
	line := r.line("1b")
	assert.Equal(t, "peeked", line.State())
	assert.True(t, line.IsStarted())

	again, err := r.WriteSolution(t.Context(), "1b")
	require.NoError(t, err)
	assert.Empty(t, again.Files)
}

func TestHintsComeOneAtATimeAndAreCounted(t *testing.T) {
	r := newReader(t)
	for want := 1; want <= 3; want++ {
		hints, err := r.Hint(t.Context(), "1b", false)
		require.NoError(t, err)
		require.Len(t, hints, 1)
		assert.Equal(t, want, hints[0].Number)
		assert.Equal(t, want, r.line("1b").Hints)
	}
	hints, err := r.Hint(t.Context(), "1b", false)
	require.NoError(t, err)
	assert.Len(t, hints, 3, "there are no more; here they are again")

	all, err := r.Hint(t.Context(), "1c", true)
	require.NoError(t, err)
	assert.Len(t, all, 3)
	assert.Equal(t, 3, r.line("1c").Hints)
}
