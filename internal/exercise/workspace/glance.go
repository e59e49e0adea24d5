package workspace

import (
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
)

// glance returns the first test that fails and has a cluster, as see does, or nil: none
// has, or it can't be said in time. What is wrong with the look is nobody's concern who
// hasn't asked for one.
func (a *attempt) glance(ctx context.Context) *Seen {
	limit := a.workspace.glance
	if len(a.Empty) > 0 || a.Exercise.Kind == exercise.Debug || time.Since(a.begun) > limit {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	mine, failed, err := a.recordFailing(ctx)
	test, clusters := mine.firstOf(failed)
	if err != nil || test == "" {
		return nil
	}
	book, err := a.bookRecords(ctx, test)
	if err != nil || len(book) == 0 {
		return nil
	}
	return a.seen(test, clusters, book.list(failed))
}

// bookRecords returns the records of a test with the book's answer. They are kept for
// as long as nothing else of the book changes: to make them anew is to link a program.
func (a *attempt) bookRecords(ctx context.Context, test string) (records, error) {
	w := a.workspace
	state, err := w.bookState(a.book)
	if err != nil {
		return nil, err
	}
	all := w.path(filepath.Join(stateDir, "look", a.run.number))
	kept := filepath.Join(all, state, test)
	if records, err := recordsIn(kept); err == nil {
		return records, nil
	}
	if err := a.buildBook(ctx); err != nil {
		return nil, err
	}
	book, _, err := a.run.record(ctx, exercise.AnyOf([]string{test}))
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
func (w *Workspace) bookState(book map[string][]byte) (string, error) {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(book)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(book[name]), book[name])
	}
	for _, folder := range []string{"chapters", "internal", "go.mod"} {
		err := filepath.WalkDir(w.path(folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || book[path] != nil ||
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
