package workspace

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/filelock"
	"reconcile/internal/slow"
)

var startedAt = regexp.MustCompile(`(?m)^ *"started": .*\n`)

// commands that write several files, and what comes before them.
var commands = map[string]struct{ before, run func(*reader) error }{
	"start": {
		func(r *reader) error { return nil },
		func(r *reader) error { _, err := r.Start(r.Context(), "1c"); return err },
	},
	"start beside another": {
		func(r *reader) error { _, err := r.Start(r.Context(), "1b"); return err },
		func(r *reader) error { _, err := r.Start(r.Context(), "1c"); return err },
	},
	"reset": {
		func(r *reader) error { _, err := r.Start(r.Context(), "1c"); return err },
		func(r *reader) error { _, err := r.Reset(r.Context(), "1c", false); return err },
	},
	"checkpoint": {
		func(r *reader) error { _, err := r.Start(r.Context(), "1b"); return err },
		func(r *reader) error {
			_, err := r.Checkpoint(r.Context(), "day-2", []string{"1b"}, []string{"1c"})
			return err
		},
	},
	"solution": {
		func(r *reader) error { _, err := r.Start(r.Context(), "1c"); return err },
		func(r *reader) error { _, err := r.WriteSolution(r.Context(), "1c"); return err },
	},
}

func TestACrashAfterAnyWriteIsMendedByTheNextCommand(t *testing.T) {
	slow.Test(t, "it crashes after each write in turn")
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			whole := newReader(t)
			require.NoError(t, command.before(whole))
			before := whole.files()
			require.NoError(t, command.run(whole))
			after := whole.files()

			mended := 0
			for step := 0; ; step++ {
				r := newReader(t)
				require.NoError(t, command.before(r))
				r.crashAfter(step)
				err := command.run(r)
				if err == nil {
					break // it has no more steps
				}
				require.ErrorIs(t, err, errCrash)
				r.disk.interrupt = nil
				_, err = r.Overview(t.Context())
				require.NoError(t, err)
				switch {
				case r.warnings != nil:
					assert.Empty(t, differing(after, r.files()), "step %d: the list of writes was there", step)
					mended++
				case mended == 0:
					assert.Empty(t, differing(before, r.files()), "step %d: it was not there yet", step)
				default:
					assert.Empty(t, differing(after, r.files()), "step %d: it was done with", step)
				}
			}
			assert.Greater(t, mended, 4)
		})
	}
}

func TestWhatAReaderChangedAfterACrashStays(t *testing.T) {
	r := newReader(t)
	r.disk.interrupt = func(step string) error {
		if step == "write "+r.state(journalFile) {
			return errCrash
		}
		return nil
	}
	_, err := r.Start(t.Context(), "1b")
	require.ErrorIs(t, err, errCrash)
	r.disk.interrupt = nil

	r.replace(planGo, "// apply carries", "// My apply carries")
	_, err = r.Overview(t.Context())
	require.NoError(t, err)
	assert.Contains(t, r.read(planGo), "// My apply carries")
	assert.Contains(t, r.read(planGo), "sort.Strings(doomed)")
	require.Len(t, r.warnings, 2)
	assert.Contains(t, r.warnings[1], planGo+" has changed since, and stays as it is")
	assert.Contains(t, r.read(".reconcile/kept/interrupted/1-not-written/plan.go"), "yours to write")
}

func TestAnUnreadableProgressIsKeptAsideAndReported(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.write(".reconcile/progress.json", "{ broken")
	_, err := r.Overview(t.Context())
	require.ErrorContains(t, err, ".reconcile/progress.json cannot be read")
	require.ErrorContains(t, err, "It is now .reconcile/kept/progress/1-unreadable/progress.json")
	assert.Equal(t, "{ broken", r.read(".reconcile/kept/progress/1-unreadable/progress.json"))

	assert.Equal(t, "untouched", r.line("1b").State())
	_, err = r.Start(t.Context(), "1b")
	require.ErrorContains(t, err, "differs from the book's version")
	r.reset("1b")
	assert.Contains(t, r.read(planGo), "sort.Strings(doomed)")
}

func TestAProgressOfANewerEditionIsLeftAlone(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.replace(".reconcile/progress.json", `"version": 2`, `"version": 3`)
	before := r.files()
	_, err := r.Overview(t.Context())
	require.ErrorContains(t, err, "newer edition of the book (version 3)")
	assert.Empty(t, differing(before, r.files()))
}

func TestASecondLabWaitsAndThenSaysWhy(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	synctest.Test(t, func(t *testing.T) {
		release, err := filelock.TryLock(r.state("lock"))
		require.NoError(t, err)
		_, err = r.Overview(t.Context())
		require.ErrorContains(t, err, "another lab is at work in this book")
		release()
		_, err = r.Overview(t.Context())
		require.NoError(t, err)
	})
}

func TestLabsAtTheSameTimeLoseNothing(t *testing.T) {
	r := newReader(t)
	const labs = 8
	synctest.Test(t, func(t *testing.T) { // their patience is virtual, the disk is not
		errs := make(chan error)
		for range labs {
			go func() {
				_, err := Open(r.root).Hint(t.Context(), "1b", false)
				if err == nil {
					err = Open(r.root).do(t.Context(), func(s *session) error {
						s.progress.recordOf("1b").Attempts++
						return nil
					})
				}
				errs <- err
			}()
		}
		for range labs {
			require.NoError(t, <-errs)
		}
	})
	assert.Equal(t, labs, r.line("1b").Attempts)
}

func TestAPlaceThatCannotBeWrittenIsNamed(t *testing.T) {
	t.Run(".reconcile is a file", func(t *testing.T) {
		r := newReader(t)
		r.write(".reconcile", "")
		_, err := r.Start(t.Context(), "1b")
		require.ErrorContains(t, err, "your progress cannot be kept in "+r.state())
	})
	t.Run("the folder is read-only", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write anywhere")
		}
		r := newReader(t)
		require.NoError(t, os.Chmod(r.root, 0o555))
		t.Cleanup(func() { os.Chmod(r.root, 0o755) })
		_, err := r.Start(t.Context(), "1b")
		require.ErrorContains(t, err, "your progress cannot be kept in "+r.state())
	})
	t.Run("a copy cannot be kept", func(t *testing.T) {
		r := newReader(t)
		r.start("1b")
		r.replace(planGo, "return 0, nil", "return desired, nil")
		r.write(".reconcile/kept", "a file")
		before := r.read(planGo)
		_, err := r.Reset(t.Context(), "1b", false)
		require.Error(t, err)
		assert.Equal(t, before, r.read(planGo), "nothing is overwritten without a copy")
	})
}

func TestTheBookIsFoundFromAnyFolderInIt(t *testing.T) {
	r := newReader(t)
	w, err := Find(filepath.Join(r.root, "chapters", "01-counting", "exercises"))
	require.NoError(t, err)
	assert.Equal(t, r.root, w.root)
	_, err = Find(t.TempDir())
	require.ErrorContains(t, err, "is not inside the book")
	_, err = Open(t.TempDir()).Overview(t.Context())
	require.ErrorContains(t, err, "has no chapters")
}
