package workspace

import (
	"context"
	"io"

	"reconcile/internal/exercise"
)

// Tested is what Test did.
type Tested struct {
	Exercise *exercise.Exercise
	Command  string // that does the same by hand, from the book's root
	Result   Result
	Started  bool // otherwise the tests judged the book's own answer
}

// Test runs the tests of an exercise, writes to out as they end, and remembers
// the result if the exercise is started. announce is called before they run.
func (w *Workspace) Test(ctx context.Context, number string, out io.Writer, announce func(Tested)) (Tested, error) {
	var done Tested
	err := w.do(ctx, func(s *session) (err error) {
		if done.Exercise, err = s.exercise(number); err == nil {
			done.Started = s.progress.of(number).IsStarted()
		}
		return err
	})
	if err != nil {
		return done, err
	}
	folder, pattern := "./chapters/"+done.Exercise.Chapter, done.Exercise.TestPattern()
	done.Command = "go test " + folder + " -run '" + pattern + "'"
	announce(done)
	if done.Result, err = runTests(ctx, w.root, folder, pattern, out); err != nil || !done.Started {
		return done, err
	}
	return done, w.do(ctx, func(s *session) error {
		record := s.progress.of(number)
		record.Attempts++
		record.Passed, record.Last = done.Result.Passed(), done.Result.String()
		return nil
	})
}
