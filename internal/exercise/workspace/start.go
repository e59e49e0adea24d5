package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"maps"
	"slices"
	"time"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
)

// Started is the result of Start.
type Started struct {
	Exercise *exercise.Exercise
	Already  bool     // it was started before; nothing has changed
	Files    []string // that were cut, from the book's root
	Sheet    string   // to write into, if no code is written; from the book's root
	Kept     string   // where a copy of the reader's work is; "" if there was none
}

// Start cuts the functions of an exercise out of the chapter. It refuses if a
// file is not as the book has it, so that no work is cut away that exists
// nowhere else; other started exercises of the same file do not count. One that
// is started already stays as it is, unless its functions are the book's again.
func (w *Workspace) Start(ctx context.Context, number string) (Started, error) {
	var done Started
	err := w.do(ctx, func(s *session) (err error) {
		done.Exercise, err = s.exercise(number)
		if err != nil {
			return err
		}
		record := s.progress.recordOf(number)
		done.Files = record.Files
		if done.Already = record.IsStarted(); done.Already && done.Exercise.Kind.Judged() {
			if back, err := s.isBack(done.Exercise); !back || err != nil {
				return err
			}
			done.Already = false
		}
		return s.start(&done, record)
	})
	return done, err
}

// isBack reports whether the functions of a started exercise are the book's, as
// after a git checkout. It never is for a fault: there the book's functions are
// the repair.
func (s *session) isBack(e *exercise.Exercise) (bool, error) {
	for file, functions := range filesOf(e) {
		current, err := readFile(s.path(file))
		if err != nil {
			return false, err
		}
		reference, err := s.reference(file)
		if err != nil {
			return false, err
		}
		same, err := cut.Same(current, reference, functions)
		if !same || err != nil || e.Kind == exercise.Debug {
			return false, nil // who has it in such a state is at work
		}
	}
	return true, nil
}

func (s *session) start(done *Started, record *Record) error {
	if !done.Exercise.Kind.Judged() {
		return s.startSheet(done, record)
	}
	kept, stubs := make(map[string][]byte), make(map[string][]byte)
	record.Stubs = make(map[string]string)
	origins := cut.NewOrigins(s.path(done.Exercise.Path("")))
	for file, functions := range filesOf(done.Exercise) {
		current, err := s.ready(file, functions)
		if err != nil {
			return err
		}
		stub, err := done.Exercise.Start(current, functions, origins)
		if err != nil {
			return inFile(file, err)
		}
		stubs[file] = stub
		for _, function := range functions {
			if text, err := cut.Function(stub, function); err == nil && done.Exercise.Kind != exercise.Debug {
				record.Stubs[function] = digest(cut.UnixLines(text))
			}
		}
		if len(s.progress.openIn(file)) > 0 {
			kept[file] = current
		} else {
			s.change.put(s.original(file), current)
			s.books[file] = current // for another exercise of the same turn
		}
	}
	folder, err := s.keep(done.Exercise.Number, "start", kept)
	if err != nil {
		return err
	}
	for file, stub := range stubs {
		s.change.put(s.path(file), stub)
	}
	done.Kept = folder
	done.Files = slices.Sorted(maps.Keys(stubs))
	record.Started, record.Files = time.Now().UTC(), done.Files
	record.Passed, record.Slipped = false, false
	return nil
}

// filesOf names the functions to write by their files, from the book's root.
func filesOf(e *exercise.Exercise) map[string][]string {
	files := make(map[string][]string)
	for file, functions := range e.ByFile() {
		files[e.Path(file.Name)] = functions
	}
	return files
}

// ready returns a file that may be cut, or says why it may not.
func (s *session) ready(file string, functions []string) ([]byte, error) {
	current, err := s.current(file)
	if err != nil {
		return nil, err
	}
	reference, err := s.reference(file)
	if err != nil {
		return nil, err
	}
	switch open := s.progress.openIn(file); {
	case current == nil:
		return nil, fmt.Errorf("%s is not there%s", file, s.wayBack(file))
	case len(open) > 0:
		return current, sameFunctions(file, current, reference, functions)
	case reference != nil && !bytes.Equal(cut.UnixLines(current), cut.UnixLines(reference)):
		return nil, fmt.Errorf("%s differs from the book's version, and starting would cut into your changes; %s",
			file, s.wayOn(file))
	}
	return current, nil
}

// sameFunctions lets an exercise start in a file that others were started in.
func sameFunctions(file string, current, reference []byte, functions []string) error {
	same, err := cut.Same(current, reference, functions)
	if err != nil {
		return fmt.Errorf("%w; mend that first", inFile(file, err))
	}
	if !same {
		return fmt.Errorf("%s: %v differs from the book's version, and starting would cut your changes away; "+
			"`go run ./cmd/lab exercise reset` for its exercise keeps a copy and puts the book's back", file, functions)
	}
	return nil
}

// inFile names the file of an error about its text, so that file:line begins it
// if it has a line.
func inFile(file string, err error) error {
	var syntax scanner.ErrorList
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

func (s *session) wayOn(file string) string {
	if s.committed(file) != nil {
		return fmt.Sprintf("commit them, or go back with `git restore %s`", file)
	}
	return fmt.Sprintf("undo them (the book's version is %s), or delete that file to take yours for the book's",
		s.relative(s.original(file)))
}

func (s *session) wayBack(file string) string {
	if s.committed(file) != nil {
		return fmt.Sprintf("; `git restore %s` brings it back", file)
	}
	return ""
}
