package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise"
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
	chapters, err := s.chapters()
	if err != nil {
		return nil, err
	}
	wanted, _, _ := strings.Cut(number, ".")
	for _, chapter := range chapters {
		prefix, _, _ := strings.Cut(chapter, "-")
		if n, err := strconv.Atoi(prefix); err != nil || strconv.Itoa(n) != wanted {
			continue
		}
		exercises, err := s.load(chapter)
		if err != nil {
			return nil, err
		}
		for _, e := range exercises {
			if e.Number == number {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("there is no exercise %q; `go run ./cmd/lab exercise list` shows those there are", number)
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

// load reads a chapter's exercises as the book has them, whatever the reader
// has made of the files in the meantime.
func (s *session) load(chapter string) ([]*exercise.Exercise, error) {
	dir := filepath.Join(s.root, "chapters", chapter)
	mirror := filepath.Join(s.disk.scratch, chapter)
	if err := os.RemoveAll(mirror); err != nil { // an interrupted command's
		return nil, err
	}
	defer os.RemoveAll(mirror)
	for _, file := range s.files(dir) {
		if err := s.mirror(file, filepath.Join(mirror, strings.TrimPrefix(file, dir))); err != nil {
			return nil, err
		}
	}
	exercises, err := exercise.Load(mirror)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), mirror, s.relative(dir)))
	}
	return exercises, nil
}

// files are those that make a chapter's exercises, and those that were cut and
// that the reader may have moved away.
func (s *session) files(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // fails on a bad pattern only
	texts, _ := filepath.Glob(filepath.Join(dir, "exercises", "*.md"))
	for _, record := range s.progress.Exercises {
		for _, file := range record.Files {
			if path := s.path(file); record.IsStarted() && filepath.Dir(path) == dir {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	return append(slices.Compact(files), texts...)
}

// mirror copies a file; of one with started exercises, its original.
func (s *session) mirror(file, to string) error {
	from := file
	if name := s.relative(file); len(s.progress.openIn(name)) > 0 {
		from = s.original(name)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
