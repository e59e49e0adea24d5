package workspace

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
)

// PutBack is the result of Reset or WriteSolution.
type PutBack struct {
	Exercise *exercise.Exercise
	Files    []string // that changed, from the book's root
	Missing  []string // that were missing in the chapter, and are back
	Kept     string   // where the reader's versions of them are
	Also     []string // other exercises that a reset of whole files ended
}

// Reset puts the book's functions of an exercise back and leaves the rest of
// their files as it is; with whole, it puts back the files. It keeps everything
// that it overwrites. Files that are missing in the chapter come back first.
func (w *Workspace) Reset(ctx context.Context, number string, whole bool) (PutBack, error) {
	var done PutBack
	var err error
	if done.Missing, err = w.bringBack(ctx, number); err != nil {
		return done, err
	}
	err = w.do(ctx, func(s *session) (err error) {
		done.Exercise, err = s.exercise(number)
		if err != nil {
			return err
		}
		if !done.Exercise.Kind.Judged() {
			return s.resetSheet(&done)
		}
		restored, err := s.putBack(&done, "reset", whole)
		if err != nil {
			return err
		}
		s.progress.recordOf(number).reset()
		for file := range restored {
			if whole {
				done.Also = append(done.Also, s.endAll(file)...)
			}
		}
		return s.forgetOriginals(restored)
	})
	return done, err
}

func (r *Record) reset() {
	*r = Record{Peeked: r.Peeked, Hints: r.Hints, Attempts: r.Attempts}
}

// endAll resets the records of every exercise that is started in a file.
func (s *session) endAll(file string) []string {
	open := s.progress.openIn(file)
	for _, number := range open {
		s.progress.recordOf(number).reset()
	}
	return open
}

// putBack adds to the change the writes that make an exercise's functions the
// book's. It returns all files of the exercise as they will be.
func (s *session) putBack(done *PutBack, what string, whole bool) (map[string][]byte, error) {
	restored, mine := make(map[string][]byte), make(map[string][]byte)
	for file, functions := range filesOf(done.Exercise) {
		current, err := readFile(s.path(file))
		if err != nil {
			return nil, err
		}
		if restored[file], err = s.restored(file, current, functions, whole); err != nil {
			return nil, err
		}
		if bytes.Equal(current, restored[file]) {
			continue
		}
		done.Files = append(done.Files, file)
		if !s.isStub(file, current, restored[file], done.Exercise) {
			mine[file] = current
		}
	}
	var err error
	if done.Kept, err = s.keep(done.Exercise.Number, what, mine); err != nil {
		return nil, err
	}
	slices.Sort(done.Files)
	for _, file := range done.Files {
		s.change.put(s.path(file), restored[file])
	}
	return restored, nil
}

// isStub reports whether a file is missing, or what starting the exercises leaves of a text.
func (s *session) isStub(file string, current, text []byte, exercises ...*exercise.Exercise) bool {
	for _, e := range exercises {
		text, _ = e.Start(text, filesOf(e)[file], cut.NewOrigins(s.path(e.Path("")))) // without a text none is alike
	}
	return current == nil || bytes.Equal(cut.UnixLines(text), cut.UnixLines(current))
}

// restored returns a file with the book's version of functions.
func (s *session) restored(file string, current []byte, functions []string, whole bool) ([]byte, error) {
	reference, err := s.reference(file)
	if err != nil {
		return nil, err
	}
	if reference == nil {
		reference = current // never started, and no git: it is the book's
	}
	if whole || current == nil {
		return reference, nil
	}
	text, err := cut.Restore(current, reference, functions)
	if err != nil {
		return nil, fmt.Errorf("%w\nThe functions of one exercise cannot be put back into such a file. "+
			"Mend it, or put the whole file back with --file; a copy of yours is kept", inFile(file, err))
	}
	if bytes.Equal(cut.UnixLines(text), cut.UnixLines(reference)) {
		return reference, nil // an editor has written other line ends
	}
	return text, nil
}

// forgetOriginals removes those that are no longer needed: no exercise of the
// file is started any more, and the file is as it was, and as git has it.
func (s *session) forgetOriginals(files map[string][]byte) error {
	for file, text := range files {
		original, err := readFile(s.original(file))
		if err != nil {
			return err
		}
		if len(s.progress.openIn(file)) > 0 || original == nil || !bytes.Equal(original, text) {
			continue
		}
		if committed := s.committed(file); committed == nil || bytes.Equal(committed, text) {
			s.change.remove(s.original(file))
		}
	}
	return nil
}
