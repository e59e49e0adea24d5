package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"time"

	"reconcile/internal/exercise"
)

// folder returns the folder in which an exercise is worked on, from the book's
// root.
func folder(e *exercise.Exercise) string {
	if e.Kind.Judged() {
		return e.Path("")
	}
	return path.Dir(sheet(e.Number))
}

// sheet returns the file that a prediction is written into.
func sheet(number string) string { return "mine/" + number + ".txt" }

// startSheet begins an exercise in which no code is written.
func (s *session) startSheet(done *Started, record *Record) error {
	if !done.Already {
		record.Started, record.Passed, record.Slipped = time.Now().UTC(), false, false
	}
	done.Sheet = sheet(done.Exercise.Number)
	there, err := readFile(s.path(done.Sheet))
	if there == nil && err == nil {
		s.change.put(s.path(done.Sheet), done.Exercise.Sheet())
	}
	return err
}

// resetSheet ends such an exercise, and keeps the reader's text.
func (s *session) resetSheet(done *PutBack) error {
	s.progress.recordOf(done.Exercise.Number).reset()
	file := sheet(done.Exercise.Number)
	mine, err := readFile(s.path(file))
	if mine == nil || err != nil {
		return err
	}
	s.change.remove(s.path(file))
	done.Files = []string{file}
	if bytes.Equal(mine, done.Exercise.Sheet()) {
		return nil
	}
	done.Kept, err = s.keep(done.Exercise.Number, "reset", map[string][]byte{file: mine})
	return err
}

// testSheet compares a prediction with the run.
func (s *session) testSheet(done *Tested) error {
	e, record := done.Exercise, s.progress.recordOf(done.Exercise.Number)
	if e.Kind != exercise.Predict {
		return fmt.Errorf("exercise %s is a question, and no test judges what you think of it; "+
			"`go run ./cmd/lab exercise solution %s` shows an answer", e.Number, e.Number)
	}
	prediction, err := readFile(s.path(sheet(e.Number)))
	if err != nil {
		return err
	}
	if prediction == nil {
		return errors.New(sheet(e.Number) + " is not there; `go run ./cmd/lab exercise start " + e.Number + "` makes it")
	}
	c := e.Compare(string(prediction))
	done.Compared, done.Own = &c, true
	done.Result.Pass, done.Result.Fail = c.Right, len(c.Differ)
	var like []string
	if c.Why != nil {
		like = []string{c.Why.Name}
	}
	record.tested(c.Passed(), fmt.Sprintf("%d of %d lines", c.Right, c.Of), nil, like)
	return nil
}
