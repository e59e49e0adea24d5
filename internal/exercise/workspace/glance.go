package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/trial"
)

// glanceAt returns the first failing test that has a cluster, as see does. It returns nil
// if there is none, or no time: gone is what the tests have taken so far. Its own errors
// are dropped, because the reader didn't ask for it.
func (w *Workspace) glanceAt(ctx context.Context, done Tested, run testRun, sight sight, gone time.Duration) *Seen {
	if len(done.Empty) > 0 || done.Exercise.Kind == exercise.Debug || gone > w.glance {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.glance)
	defer cancel()
	scratch := filepath.Dir(run.binary)
	run.short, run.records = !done.Exercise.Marked(done.failing[0]), filepath.Join(scratch, "mine")
	mine, failed, err := run.record(ctx, exercise.AnyOf(done.failing))
	if err != nil {
		return nil
	}
	for _, name := range failed {
		of := mine.of(name)
		if len(of) == 0 {
			continue
		}
		book, err := w.bookRecords(ctx, run, sight, name)
		if err != nil || len(book) == 0 {
			return nil
		}
		return seen(done.Exercise, name, of.list(failed), book.list(failed))
	}
	return nil
}

// bookRecords returns the records of a test with the book's answer. They are kept for
// as long as nothing else of the book changes: to make them anew is to link a program.
func (w *Workspace) bookRecords(ctx context.Context, run testRun, sight sight, test string) (records, error) {
	state, err := w.bookState(sight)
	if err != nil {
		return nil, err
	}
	all := w.path(filepath.Join(stateDir, "look", run.number))
	kept := filepath.Join(all, state, test)
	if records, err := recordsIn(kept); err == nil {
		return records, nil
	}
	scratch := filepath.Dir(run.binary)
	run.binary, run.records = filepath.Join(scratch, "book.test"), filepath.Join(scratch, "book")
	if output, err := trial.Build(ctx, run.folder, run.binary, sight.book); err != nil {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("%w\n%s", err, output))
	}
	book, _, err := run.record(ctx, exercise.AnyOf([]string{test}))
	if err == nil {
		w.keepRecords(all, kept, book)
	}
	return book, err
}

// keepRecords keeps records, and throws away those of another state of the book. Where
// nothing can be kept they are made again the next time.
func (w *Workspace) keepRecords(all, kept string, book records) {
	state := filepath.Base(filepath.Dir(kept))
	others, _ := os.ReadDir(all)
	for _, other := range others {
		if other.Name() != state {
			_ = os.RemoveAll(filepath.Join(all, other.Name()))
		}
	}
	beside := kept + ".part"
	if os.RemoveAll(beside) != nil || os.MkdirAll(beside, 0o755) != nil {
		return
	}
	for record, text := range book {
		if os.WriteFile(filepath.Join(beside, record.File()), text, 0o644) != nil {
			_ = os.RemoveAll(beside)
			return
		}
	}
	_ = os.Rename(beside, kept)
}

// bookState returns a digest of the book's code, with the book's answer in it.
func (w *Workspace) bookState(sight sight) (string, error) {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sight.book)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(sight.book[name]), sight.book[name])
	}
	for _, folder := range []string{"chapters", "internal", "go.mod"} {
		err := filepath.WalkDir(w.path(folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || sight.book[path] != nil ||
				!strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".mod") {
				return err
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
