package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/numbering"
)

// all loads the exercises of every chapter, in order.
func (s *session) all() ([]*exercise.Exercise, error) {
	chapters, err := s.chapters()
	if err != nil {
		return nil, err
	}
	var exercises []*exercise.Exercise
	var errs []error
	for _, chapter := range chapters {
		more, err := s.load(chapter)
		exercises, errs = append(exercises, more...), append(errs, err)
	}
	return exercises, errors.Join(errs...)
}

// exercise loads one exercise. Other chapters may be in any state.
func (s *session) exercise(number string) (*exercise.Exercise, error) {
	chapter, err := s.folderOf(number)
	if err != nil {
		return nil, err
	}
	exercises, err := s.load(chapter)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(exercises, func(e *exercise.Exercise) bool { return e.Number == number }); at >= 0 {
		return exercises[at], nil
	}
	return nil, noExercise(number)
}

// Number returns the number of the exercise that a reader means: 1e for 1E, and for
// 1.4, as earlier editions called it. What means none is returned as it is.
func (w *Workspace) Number(said string) string {
	number := numbering.Of(said)
	files, _ := fs.Glob(os.DirFS(w.root), "chapters/*/exercises/"+number+".md") // what is no pattern is no number
	if len(files) == 0 {
		return said
	}
	return number
}

// folderOf returns the folder of the chapter that an exercise's number names.
func (s *session) folderOf(number string) (string, error) {
	chapters, err := s.chapters()
	if err != nil {
		return "", err
	}
	for _, chapter := range chapters {
		prefix, _, _ := strings.Cut(chapter, "-")
		if n, err := strconv.Atoi(prefix); err == nil && n == numbering.Chapter(number) {
			return chapter, nil
		}
	}
	return "", noExercise(number)
}

func noExercise(number string) error {
	return fmt.Errorf("there is no exercise %q; `go run ./cmd/lab exercise list --all` shows those there are", number)
}

var chapterName = regexp.MustCompile(`^[0-9]+-`)

func (w *Workspace) chapters() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(w.root, "chapters"))
	if err != nil {
		return nil, fmt.Errorf("%s has no chapters: %w", w.root, err)
	}
	var chapters []string
	for _, entry := range entries {
		if entry.IsDir() && chapterName.MatchString(entry.Name()) {
			chapters = append(chapters, entry.Name())
		}
	}
	return chapters, nil
}

// ListFile has the exercises of a chapter that a page has no more of than what they are
// called, as JSON.
const ListFile = "exercises.json"

// load reads a chapter's exercises as the book has them, whatever the reader
// has done to the files in the meantime.
func (s *session) load(chapter string) ([]*exercise.Exercise, error) {
	if known := s.loaded[chapter]; known != nil {
		return known, nil
	}
	folder := "chapters/" + chapter
	if list, err := os.ReadFile(s.path(folder + "/" + ListFile)); err == nil {
		var exercises []*exercise.Exercise
		err := json.Unmarshal(list, &exercises)
		s.loaded[chapter] = exercises
		return exercises, err
	}
	exercises, err := exercise.Load(bookFolder{s, folder, os.DirFS(s.path(folder))}, folder)
	if err != nil {
		return nil, s.missedIn(chapter, err)
	}
	s.loaded[chapter] = exercises
	return exercises, nil
}
