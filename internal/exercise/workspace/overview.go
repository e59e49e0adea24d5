package workspace

import (
	"context"
	"errors"
	"slices"
	"time"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/numbering"
)

// A Line is an exercise and how far the reader is with it.
type Line struct {
	Exercise *exercise.Exercise
	Record
}

// Done reports whether nothing is left to do: it passes or, if no test judges,
// the answer was seen.
func (l Line) Done() bool {
	return l.Passed || l.Exercise.Kind == exercise.Design && l.Peeked
}

// Overview lists all exercises of the book.
func (w *Workspace) Overview(ctx context.Context) ([]Line, error) {
	var lines []Line
	err := w.doOrRead(ctx, func(s *session) error {
		exercises, err := s.all()
		for _, e := range exercises {
			line := Line{Exercise: e}
			if record := s.progress.Exercises[e.Number]; record != nil {
				line.Record = *record
			}
			lines = append(lines, line)
		}
		return err
	})
	return lines, err
}

// Next returns the first exercise after number that is not done, beginning again
// at the book's first; nil when nothing is left. For a reader on the way, the
// exercises of the way come first, in its order.
func (w *Workspace) Next(ctx context.Context, number string) (*exercise.Exercise, error) {
	lines, err := w.Overview(ctx)
	if err != nil {
		return nil, err
	}
	if way := w.OnTheWay(lines); number == "" || slices.Contains(w.Way, number) {
		at := slices.IndexFunc(way, func(line Line) bool { return line.Exercise.Number == number })
		if next := firstOpen(slices.Concat(way[at+1:], way[:max(at, 0)])); next != nil {
			return next, nil
		}
	}
	at := slices.IndexFunc(lines, func(line Line) bool { return numbering.Compare(line.Exercise.Number, number) > 0 })
	if at < 0 || number == "" {
		at = 0
	}
	rest := slices.Concat(lines[at:], lines[:at])
	return firstOpen(slices.DeleteFunc(rest, func(line Line) bool { return line.Exercise.Number == number })), nil
}

// OnTheWay returns the lines of the exercises on the reader's way, in its order.
func (w *Workspace) OnTheWay(lines []Line) (way []Line) {
	for _, number := range w.Way {
		if at := slices.IndexFunc(lines, func(line Line) bool { return line.Exercise.Number == number }); at >= 0 {
			way = append(way, lines[at])
		}
	}
	return way
}

// CourseEnds reports whether an exercise is one of a course of which all are done.
func (w *Workspace) CourseEnds(ctx context.Context, number string) (bool, error) {
	if !slices.Contains(w.Way, number) {
		return false, nil
	}
	lines, err := w.Overview(ctx)
	way := w.OnTheWay(lines)
	return err == nil && len(way) > 0 && firstOpen(way) == nil, err
}

func firstOpen(lines []Line) *exercise.Exercise {
	if at := slices.IndexFunc(lines, func(line Line) bool { return !line.Done() }); at >= 0 {
		return lines[at].Exercise
	}
	return nil
}

// NextToDo returns the exercise that is open, and otherwise the first that is not
// passed yet behind the one that was started last; nil when nothing is left. A
// reader who has looked at the answer need not go on with it.
func (w *Workspace) NextToDo(ctx context.Context) (*exercise.Exercise, error) {
	lines, err := w.Overview(ctx)
	if err != nil {
		return nil, err
	}
	var latest Line
	for _, line := range lines {
		if line.Started.After(latest.Started) {
			latest = line
		}
	}
	switch {
	case latest.Exercise == nil:
		return w.Next(ctx, "")
	case !latest.Done() && !latest.Peeked:
		return latest.Exercise, nil
	}
	return w.Next(ctx, latest.Exercise.Number)
}

// Latest returns the number of the exercise that was started last.
func (w *Workspace) Latest(ctx context.Context) (string, error) {
	number := ""
	err := w.do(ctx, func(s *session) error {
		var latest time.Time
		for candidate, record := range s.progress.Exercises {
			if record.Started.After(latest) {
				number, latest = candidate, record.Started
			}
		}
		if number == "" {
			return errors.New("no exercise is started; `go run ./cmd/lab exercise list --all` shows those there are")
		}
		return nil
	})
	return number, err
}
