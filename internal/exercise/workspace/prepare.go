package workspace

import (
	"maps"
	"slices"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
	"reconcile/internal/exercise/numbering"
)

// prepare finds out what is judged, and what the tests see. A sheet is judged here.
func (a *attempt) prepare(s *session, number string, mine bool) (err error) {
	if a.Exercise, err = s.exercise(number); err != nil {
		return err
	}
	if !a.Exercise.Kind.Judged() {
		return s.testSheet(&a.Tested)
	}
	a.run.folder, a.run.number = s.path(a.Exercise.Path("")), number
	a.Started = s.progress.recordOf(number).IsStarted()
	a.waitsFor = "Go compiles what stands on your change"
	if !s.progress.tested() {
		a.waitsFor = "Go compiles what the tests stand on"
	}
	if err := a.compare(s); err != nil {
		return err
	}
	others := s.others(number)
	open := slices.DeleteFunc(slices.Clone(others), func(other string) bool { return s.progress.recordOf(other).passes() })
	if mine {
		a.alone, others = len(open) == 0, nil
	} else {
		a.alone, a.Others = true, open
		a.texts, err = s.asInTheBook(a.Exercise, others)
	}
	if err == nil && a.telling.Looks != nil {
		a.book, err = s.asInTheBook(nil, append(others, number))
	}
	return err
}

// compare finds out whether the functions are the reader's or the book's.
func (a *attempt) compare(s *session) error {
	a.imports = make(map[string]string)
	if a.Exercise.Kind == exercise.Debug {
		a.Own = a.Started // mended, it is the book's
		return nil
	}
	stubs := s.progress.recordOf(a.Exercise.Number).Stubs
	for file, functions := range filesOf(a.Exercise) {
		current, err := readFile(s.path(file))
		if err != nil {
			return err
		}
		reference, err := s.reference(file)
		if err != nil || reference == nil {
			return err // we cannot know: it is the book's
		}
		maps.Copy(a.imports, cut.Imports(reference))
		same, err := cut.Same(current, reference, functions)
		a.Own = a.Own || !same || err != nil
		for _, function := range functions {
			if text, err := cut.Function(current, function); err == nil && digest(cut.UnixLines(text)) == stubs[function] {
				a.Empty = append(a.Empty, function)
			}
		}
	}
	slices.Sort(a.Empty)
	return nil
}

// others returns the exercises that are started besides one, in order, of its
// chapter and those before it: later ones have no part in its tests.
func (s *session) others(number string) []string {
	var others []string
	for other, record := range s.progress.Exercises {
		if other != number && record.IsStarted() && len(record.Files) > 0 && numbering.Chapter(other) <= numbering.Chapter(number) {
			others = append(others, other)
		}
	}
	slices.SortFunc(others, numbering.Compare)
	return others
}

// asInTheBook returns the text of every file that has functions of other
// exercises than the one that is judged, with the book's version of these, by its
// absolute path.
func (s *session) asInTheBook(judged *exercise.Exercise, others []string) (map[string][]byte, error) {
	functions := make(map[string][]string)
	for _, number := range others {
		other, err := s.exercise(number)
		if err != nil {
			return nil, err
		}
		for file, names := range filesOf(other) {
			functions[file] = append(functions[file], names...)
		}
	}
	texts := make(map[string][]byte)
	for file, names := range functions {
		current, err := readFile(s.path(file))
		if err != nil {
			return nil, err
		}
		original, err := s.reference(file)
		if err != nil {
			return nil, err
		}
		text, err := cut.Restore(current, original, names)
		if err != nil {
			if judged != nil && filesOf(judged)[file] != nil {
				continue // the compiler says it better
			}
			text = original
		}
		texts[s.path(file)] = text
	}
	return texts, nil
}
