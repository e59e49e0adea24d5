package workspace

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (r *reader) goTo(number string) WentTo {
	r.Helper()
	done, err := r.Goto(r.Context(), number)
	require.NoError(r, err)
	return done
}

func TestGotoPutsTheBookBackBeforeAndStarts(t *testing.T) {
	for name, newReader := range map[string]func(*testing.T) *reader{"with git": newReaderWithGit, "without": newReader} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			plan := r.read(planGo)
			r.start("1b")
			r.replace(planGo, "return 0, nil", "return desired, nil")
			mine := r.read(planGo)

			done := r.goTo("1c")
			assert.Equal(t, []string{"1b"}, done.Back.Ended)
			assert.Equal(t, []string{planGo}, done.Back.Files)
			assert.Equal(t, ".reconcile/kept/1c/1-goto", done.Back.Kept)
			assert.Equal(t, mine, r.read(done.Back.Kept+"/plan.go"))
			assert.Equal(t, "untouched", r.line("1b").State())
			assert.Equal(t, "started", r.line("1c").State())
			assert.Contains(t, r.read(planGo), "sort.Strings(doomed)")
			assert.Contains(t, r.read(planGo), "Exercise 1c")
			assert.Contains(t, r.read(counterGo), "Exercise 1c")

			r.reset("1c")
			assert.Equal(t, plan, r.read(planGo))
			assert.NoFileExists(t, r.original(planGo))
		})
	}
}

func TestGotoNeedsNoCleanPlaceToStartFrom(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1b")
	r.write(planGo, "package counting\n\nfunc (")
	r.replace(counterGo, "package counting", "// Package counting is mine.\npackage counting")
	done := r.goTo("1c")
	assert.Equal(t, "package counting\n\nfunc (", r.read(done.Back.Kept+"/plan.go"))
	tested, _ := r.test("1c")
	assert.Equal(t, "2 of 2 fail", tested.Result.String(), "it builds")
}

func TestGotoLeavesWhatComesAfterAlone(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1c")
	r.replace(planGo, `return ""`, `return "mine"`)
	before := r.read(planGo)
	done := r.goTo("1b")
	assert.Empty(t, done.Back.Ended)
	assert.Equal(t, before, r.read(done.Started.Kept+"/plan.go"))
	assert.Contains(t, r.read(planGo), `return "mine"`)
	assert.Equal(t, "started", r.line("1c").State())

	again := r.goTo("1b")
	assert.True(t, again.Already)
	assert.Empty(t, again.Back.Files)
}

func TestGotoTakesNoPassAway(t *testing.T) {
	r := newReader(t)
	require.NoError(t, r.do(t.Context(), func(s *session) error {
		s.progress.recordOf("1b").Passed = true
		return nil
	}))
	r.goTo("1c")
	assert.Equal(t, "passing", r.line("1b").State())
}

func TestWhatWasCommittedMeanwhileIsNotTheBooks(t *testing.T) {
	r := newReaderWithGit(t)
	plan := r.read(planGo)
	r.start("1b")
	r.replace(planGo, "return 0, nil", "return desired, nil")
	r.commit()
	r.goTo("1c")
	r.reset("1c")
	assert.Equal(t, plan, r.read(planGo))
}

func TestResetAllPutsEverythingBack(t *testing.T) {
	r := newReaderWithGit(t)
	r.start("1b")
	r.start("1c")
	r.replace(planGo, "return 0, nil", "return desired, nil")
	done, err := r.ResetAll(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"1b", "1c"}, done.Ended)
	assert.Equal(t, []string{counterGo, planGo}, done.Files)
	assert.Contains(t, r.read(done.Kept+"/plan.go"), "return desired, nil")
	assert.Empty(t, r.git("status", "--porcelain"))
	assert.NoFileExists(t, r.original(planGo))

	again, err := r.ResetAll(t.Context())
	require.NoError(t, err)
	assert.Equal(t, AllBack{}, again)
}

func TestNextIsWhatIsOpenAndThenWhatFollows(t *testing.T) {
	r := newReader(t)
	next := func() string {
		e, err := r.NextToDo(t.Context())
		require.NoError(t, err)
		if e == nil {
			return ""
		}
		return e.Number
	}
	record := func(number string, change func(*Record)) {
		require.NoError(t, r.do(t.Context(), func(s *session) error {
			change(s.progress.recordOf(number))
			return nil
		}))
	}
	assert.Equal(t, "1b", next())
	r.start("1c")
	assert.Equal(t, "1c", next(), "it is open")
	record("1c", func(r *Record) { r.Passed = true })
	assert.Equal(t, "1b", next(), "it was left out")
	r.start("1b")
	record("1b", func(r *Record) { r.Peeked = true })
	assert.Empty(t, next(), "who has looked at the answer need not go on")
}

func TestNextFollowsTheWay(t *testing.T) {
	r := newReader(t)
	r.Way = []string{"1c"}
	next := func(number string) string {
		e, err := r.Next(t.Context(), number)
		require.NoError(t, err)
		return e.Number
	}
	assert.Equal(t, "1c", next(""), "the way begins with it")
	assert.Equal(t, "1b", next("1c"), "the way has no more")
	assert.Equal(t, "1c", next("1b"), "it follows in the book")
	r.Way = []string{"1c", "1b"}
	assert.Equal(t, "1b", next("1c"), "on the way it comes behind")
	assert.Equal(t, "1c", next("1b"), "it was left out")

	r = newReaderOfKinds(t)
	r.Way = []string{"1d", "1b"}
	assert.Equal(t, "1b", next("1d"), "in the book it would be 1e")
}

func TestNextIsInAChapterOfWhichThereIsOnlyAList(t *testing.T) {
	r := newReader(t)
	require.NoError(t, os.Mkdir(r.path("chapters/02-more"), 0o755))
	r.write("chapters/02-more/"+ListFile, `[{"Number": "2a", "Title": "More", "Minutes": 5}]`)
	e, err := r.Next(t.Context(), "1c")
	require.NoError(t, err)
	assert.Equal(t, "2a More, about 5 min, a guess", fmt.Sprintf("%s %s, %s", e.Number, e.Title, e.Span))
}

func TestWhatIsReadNeedsNoPlaceToWrite(t *testing.T) {
	r := newReader(t)
	r.write(".reconcile", "")
	assert.Equal(t, "untouched", r.line("1b").State())
	hints, err := r.Hint(t.Context(), "1b", false)
	require.NoError(t, err)
	assert.Len(t, hints, 1, "the next one, though it is not counted")
	e, err := r.Solution(t.Context(), "1b")
	require.NoError(t, err)
	assert.Equal(t, "1b", e.Number)
	done, _ := r.test("1b")
	assert.True(t, done.Result.Passed())
	_, err = r.Start(t.Context(), "1b")
	require.ErrorContains(t, err, "your progress cannot be kept")
}
