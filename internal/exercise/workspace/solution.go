package workspace

import (
	"context"
	"fmt"

	"reconcile/internal/exercise"
)

// Solution returns an exercise for a reader who wants to see its answer, and
// remembers that, unless the exercise was passed before.
func (w *Workspace) Solution(ctx context.Context, number string) (*exercise.Exercise, error) {
	var e *exercise.Exercise
	err := w.doOrRead(ctx, func(s *session) (err error) {
		if e, err = s.exercise(number); err == nil {
			s.progress.recordOf(number).peek()
		}
		return err
	})
	return e, err
}

// WriteSolution puts the answer into the files and keeps what it overwrites.
// The exercise stays started.
func (w *Workspace) WriteSolution(ctx context.Context, number string) (PutBack, error) {
	var done PutBack
	err := w.do(ctx, func(s *session) (err error) {
		if done.Exercise, err = s.exercise(number); err != nil {
			return err
		}
		if !done.Exercise.Kind.Judged() {
			return fmt.Errorf("exercise %s has no functions to write; without --write its answer is shown", number)
		}
		s.progress.recordOf(number).peek()
		_, err = s.putBack(&done, "solution", false)
		return err
	})
	return done, err
}

func (r *Record) peek() { r.Peeked = r.Peeked || !r.Passed }
