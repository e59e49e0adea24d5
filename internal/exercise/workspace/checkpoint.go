package workspace

import (
	"context"
	"slices"

	"reconcile/internal/exercise"
)

// Begun is the result of Checkpoint.
type Begun struct {
	Started []Started
	Back    AllBack
}

// Checkpoint begins a part of a course for a reader who may have lost the thread:
// it puts the book's version of what came before in the place of the reader's, and
// starts exercises. Those of them that are started already stay as they are. Files
// that it overwrites are kept, and exercises that were passed stay passed.
func (w *Workspace) Checkpoint(ctx context.Context, name string, before, begins []string) (Begun, error) {
	var done Begun
	err := w.do(ctx, func(s *session) error {
		all, err := s.all()
		if err != nil {
			return err
		}
		for _, number := range slices.Concat(before, begins) {
			if !slices.ContainsFunc(all, func(e *exercise.Exercise) bool { return e.Number == number }) {
				return noExercise(number)
			}
		}
		back := slices.DeleteFunc(slices.Clone(all), func(e *exercise.Exercise) bool {
			starts := slices.Contains(begins, e.Number) && !s.progress.recordOf(e.Number).IsStarted()
			return !starts && !slices.Contains(before, e.Number)
		})
		if done.Back, err = s.putAllBack(back, name, "checkpoint"); err != nil {
			return err
		}
		for _, e := range all {
			if !slices.Contains(begins, e.Number) {
				continue
			}
			record := s.progress.recordOf(e.Number)
			started := Started{Exercise: e, Already: record.IsStarted(), Files: record.Files}
			if !started.Already || !e.Kind.Judged() {
				if err := s.start(&started, record); err != nil {
					return err
				}
			}
			done.Started = append(done.Started, started)
		}
		return nil
	})
	return done, err
}
