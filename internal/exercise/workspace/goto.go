package workspace

import (
	"bytes"
	"context"
	"slices"
	"time"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
	"reconcile/internal/exercise/numbering"
)

// WentTo is the result of Goto.
type WentTo struct {
	Started
	Back AllBack
}

// AllBack is the result of putting several exercises back.
type AllBack struct {
	Files []string // that changed, from the book's root
	Kept  string   // where the reader's versions of them are
	Ended []string // exercises that were started, in order
}

// Goto starts an exercise for a reader who did not do those before it: it puts
// back the book's version of these, whatever state they are in. Files that it
// overwrites are kept, and exercises that were passed stay passed.
func (w *Workspace) Goto(ctx context.Context, number string) (WentTo, error) {
	var done WentTo
	err := w.do(ctx, func(s *session) (err error) {
		if done.Exercise, err = s.exercise(number); err != nil {
			return err
		}
		record := s.progress.recordOf(number)
		done.Already = record.IsStarted()
		all, err := s.all()
		if err != nil {
			return err
		}
		before := slices.DeleteFunc(all, func(e *exercise.Exercise) bool {
			way := numbering.Compare(e.Number, number)
			return way > 0 || way == 0 && done.Already
		})
		if done.Back, err = s.putAllBack(before, number, "goto"); err != nil {
			return err
		}
		if done.Files = record.Files; done.Already {
			return nil
		}
		return s.start(&done.Started, record)
	})
	return done, err
}

// ResetAll puts the book's version of every exercise back. It keeps what it
// overwrites.
func (w *Workspace) ResetAll(ctx context.Context) (AllBack, error) {
	var done AllBack
	err := w.do(ctx, func(s *session) error {
		all, err := s.all()
		if err != nil {
			return err
		}
		if done, err = s.putAllBack(all, "all", "reset"); err != nil {
			return err
		}
		for _, record := range s.progress.Exercises {
			record.reset()
		}
		return nil
	})
	return done, err
}

// putAllBack adds to the change the writes that make the files of exercises the
// book's: whole files, but for those in which others are started. It ends the
// exercises, and those whose functions it could not leave alone.
func (s *session) putAllBack(exercises []*exercise.Exercise, owner, what string) (done AllBack, err error) {
	functions, open := make(map[string][]string), make(map[string][]*exercise.Exercise)
	for _, e := range exercises {
		for file, names := range filesOf(e) {
			functions[file] = append(functions[file], names...)
			if slices.Contains(s.progress.openIn(file), e.Number) {
				open[file] = append(open[file], e)
			}
		}
	}
	for file := range functions { // while started exercises still name them
		if s.books[file], err = s.reference(file); err != nil {
			return done, err
		}
	}
	done.Ended = s.end(exercises)
	restored, mine := make(map[string][]byte), make(map[string][]byte)
	for file, names := range functions {
		current, err := readFile(s.path(file))
		if err != nil {
			return done, err
		}
		text, ended := s.backIn(file, current, names)
		done.Ended = append(done.Ended, ended...)
		if restored[file] = text; bytes.Equal(text, current) {
			continue
		}
		s.change.put(s.path(file), text)
		done.Files = append(done.Files, file)
		if !s.isStub(file, current, text, open[file]...) {
			mine[file] = current
		}
	}
	slices.Sort(done.Files)
	slices.SortFunc(done.Ended, numbering.Compare)
	if done.Kept, err = s.keep(owner, what, mine); err != nil {
		return done, err
	}
	return done, s.forgetOriginals(restored)
}

// end ends those of exercises that are started; those that were passed stay so.
func (s *session) end(exercises []*exercise.Exercise) (ended []string) {
	for _, e := range exercises {
		if record := s.progress.recordOf(e.Number); record.IsStarted() && len(record.Files) > 0 {
			ended = append(ended, e.Number)
			record.Started, record.Files, record.Stubs = time.Time{}, nil, nil
		}
	}
	return ended
}

// backIn returns a file with the book's version of functions, and the exercises
// that end because their functions could not be left in it.
func (s *session) backIn(file string, current []byte, functions []string) (text []byte, ended []string) {
	book := s.books[file]
	if book == nil {
		return current, nil // there is no better version
	}
	if len(s.progress.openIn(file)) > 0 {
		if text, err := cut.Restore(current, book, functions); err == nil {
			return text, nil
		}
	}
	return book, s.endAll(file)
}
