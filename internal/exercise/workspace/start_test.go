package workspace

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartCutsTheFunctionsAndLeavesTheRest(t *testing.T) {
	r := newReaderWithGit(t)
	done := r.start("1b")
	assert.Equal(t, []string{planGo}, done.Files)
	assert.Empty(t, done.Kept)
	assert.Equal(t, "started", r.line("1b").State())
	assert.Equal(t, "untouched", r.line("1c").State())
	plan := r.read(planGo)
	assert.Contains(t, plan, "func plan(desired int, running []string) (int, []string) {\n"+
		"\t// Exercise 1b, Compare and act: yours to write.\n"+
		"\t// go run ./cmd/lab exercise test 1b\n\treturn 0, nil\n}\n")
	assert.Contains(t, plan, "strings.Join")
	assert.NotContains(t, plan, `"sort"`)
	assert.Equal(t, " M "+planGo+"\n", r.git("status", "--porcelain"))
}

func TestStartingAgainChangesNothing(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1b")
	r.replace(planGo, "return 0, nil", "return desired, nil // my first try")
	before := r.files()
	done := r.start("1b")
	assert.True(t, done.Already)
	assert.Empty(t, differing(before, r.files()))
}

func TestWhatGitBroughtBackIsCutAgain(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1b")
	stub := r.read(planGo)
	r.git("checkout", planGo)
	done := r.start("1b")
	assert.False(t, done.Already)
	assert.Equal(t, stub, r.read(planGo))
	_, failed := r.test("1b")
	assert.Len(t, failed, 2)
	r.reset("1b")
	assert.Empty(t, r.git("status", "--porcelain"))
}

func TestSeveralExercisesOfAFileCanBeStarted(t *testing.T) {
	for name, order := range map[string][]string{"upwards": {"1b", "1c"}, "downwards": {"1c", "1b"}} {
		t.Run(name, func(t *testing.T) {
			r := newReaderWithGit(t)
			plan, counter := r.read(planGo), r.read(counterGo)
			first, second := order[0], order[1]
			r.start(first)
			after := r.read(planGo)
			done := r.start(second)
			assert.Equal(t, after, r.read(done.Kept+"/plan.go"), "what the second cut was into is kept")

			r.reset(second)
			assert.Equal(t, after, r.read(planGo))
			r.reset(first)
			assert.Equal(t, plan, r.read(planGo))
			assert.Equal(t, counter, r.read(counterGo))
			assert.Empty(t, r.git("status", "--porcelain"))
			assert.NoFileExists(t, r.original(planGo))
		})
	}
}

func TestAnAnswerThatWasCommittedMayBePutBackAndBegunAgain(t *testing.T) {
	r := newReaderWithGit(t)
	plan := r.read(planGo)
	first := r.start("1b")
	stub := r.read(planGo)
	r.replace(planGo, "\treturn 0, nil\n", "\treturn 1, nil\n")
	r.commit()
	r.reset("1b")
	assert.Equal(t, plan, r.read(planGo))

	again := r.start("1b")
	assert.Equal(t, first.Files, again.Files)
	assert.Equal(t, stub, r.read(planGo))
	r.reset("1b")
	assert.Equal(t, plan, r.read(planGo))
	r.commit()
	r.start("1b")
	r.reset("1b")
	assert.NoFileExists(t, r.original(planGo), "git has the book's version again")
}

func TestStartRefusesAndChangesNothing(t *testing.T) {
	cases := map[string]struct {
		before func(*reader)
		number string
		says   string
	}{
		"an exercise that there is not": {
			func(r *reader) {}, "1j", "there is no exercise \"1j\"; `go run ./cmd/lab exercise list --all` shows those there are",
		},
		"a chapter that there is not": {
			func(r *reader) {}, "9.1", "there is no exercise \"9.1\"",
		},
		"a file with changes": {
			func(r *reader) { r.replace(planGo, "// apply carries", "// My apply carries") }, "1b",
			planGo + " differs from the book's version, and starting would cut into your changes; commit them, or go back with `git restore " + planGo + "`",
		},
		"a function with changes beside a started one": {
			func(r *reader) { r.start("1b"); r.replace(planGo, "create %d", "make %d") }, "1c",
			planGo + ": [describe] differs from the book's version",
		},
		"a file that does not parse beside a started function": {
			func(r *reader) { r.start("1b"); r.replace(planGo, "return 0, nil", "return 0,, nil") }, "1c",
			planGo + ":15:11: expected operand, found ','",
		},
		"a chapter with problems": {
			func(r *reader) { r.write("chapters/01-counting/exercises/1d.md", "nothing"); r.commit() }, "1b",
			"chapters/01-counting/exercises/1d.md:1: no function is marked",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newReaderWithGit(t)
			c.before(r)
			before := r.files()
			_, err := r.Start(t.Context(), c.number)
			require.ErrorContains(t, err, c.says)
			assert.Empty(t, differing(before, r.files()))
		})
	}
}

func TestWithoutGitTheFileAtTheFirstStartIsTheBooks(t *testing.T) {
	r := newReader(t)
	plan := r.read(planGo)
	r.start("1b")
	assert.Equal(t, plan, r.read(r.relative(r.original(planGo))))
	r.replace(planGo, "// apply carries", "// My apply carries")
	r.reset("1b")

	_, err := r.Start(t.Context(), "1b")
	require.ErrorContains(t, err, planGo+" differs from the book's version, and starting would cut into your changes; "+
		"undo them (the book's version is .reconcile/originals/"+planGo+"), or delete that file to take yours for the book's")

	require.NoError(t, os.Remove(r.original(planGo)))
	r.start("1b")
	r.reset("1b")
	assert.Contains(t, r.read(planGo), "// My apply carries")
}

func TestAFileThatIsNotInGitYetIsTakenAsItIs(t *testing.T) {
	r := newReader(t)
	r.git("init", "-q")
	r.commitOnly("go.mod")
	plan := r.read(planGo)
	r.start("1b")
	r.reset("1b")
	assert.Equal(t, plan, r.read(planGo))
}

func TestExercisesAreThoseOfTheBookWhateverTheReaderDoes(t *testing.T) {
	cases := map[string]func(*reader){
		"the file is gone":           func(r *reader) { require.NoError(r, os.Remove(r.path(planGo))) },
		"the file does not parse":    func(r *reader) { r.write(planGo, "package counting\n\nfunc (") },
		"the function is gone":       func(r *reader) { r.write(planGo, "package counting\n") },
		"the mark is gone":           func(r *reader) { r.replace(planGo, "//book:exercise 1b\n", "//\n") },
		"the function is duplicated": func(r *reader) { r.write(planGo, r.read(planGo)+"\nfunc plan() {}\n") },
	}
	for name, deed := range cases {
		t.Run(name, func(t *testing.T) {
			r := newReaderWithGit(t)
			r.start("1b")
			deed(r)
			e, err := r.Solution(t.Context(), "1b")
			require.NoError(t, err)
			assert.Contains(t, string(e.Functions[0].File.Content), "sort.Strings(doomed)")
		})
	}
}
