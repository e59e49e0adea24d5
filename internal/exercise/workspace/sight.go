package workspace

import (
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
)

// A sight is what the tests see: texts in the place of files, by their absolute paths.
type sight struct {
	texts map[string][]byte
	book  map[string][]byte // likewise, with the book's answer; nil: nobody looks
	alone bool              // no other exercise is open in it
}

// prepare finds out what is judged, and in what sight. A sheet is judged here.
func (s *session) prepare(done *Tested, mine, looks bool) (sight sight, err error) {
	if !done.Exercise.Kind.Judged() {
		return sight, s.testSheet(done)
	}
	number := done.Exercise.Number
	done.Started = s.progress.of(number).IsStarted()
	done.waitsFor = "Go compiles what stands on your change"
	if !s.progress.tested() {
		done.waitsFor = "Go compiles what the tests stand on"
	}
	if err := s.compare(done); err != nil {
		return sight, err
	}
	others := s.others(number)
	open := slices.DeleteFunc(slices.Clone(others), func(other string) bool { return s.progress.of(other).passes() })
	if mine {
		sight.alone, others = len(open) == 0, nil
	} else {
		sight.alone, done.Others = true, open
		sight.texts, err = s.asInTheBook(done.Exercise, others)
	}
	if err == nil && looks {
		sight.book, err = s.asInTheBook(nil, append(others, number))
	}
	return sight, err
}

// others returns the exercises that are started besides one, in order, of its
// chapter and those before it: later ones have no part in its tests.
func (s *session) others(number string) []string {
	var others []string
	for other, record := range s.progress.Exercises {
		if other != number && record.IsStarted() && len(record.Files) > 0 && chapterOf(other) <= chapterOf(number) {
			others = append(others, other)
		}
	}
	slices.SortFunc(others, exercise.Compare)
	return others
}

func chapterOf(number string) int {
	prefix, _, _ := strings.Cut(number, ".")
	chapter, _ := strconv.Atoi(prefix)
	return chapter
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
