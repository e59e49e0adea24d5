package workspace

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// missing returns the files of the chapters that git has and the book's folder
// has not, from the book's root; those with started exercises are kept as
// originals, and not missed. Without git there are none.
func (s *session) missing() []string {
	if s.misses != nil {
		return *s.misses
	}
	command := exec.CommandContext(s.ctx, "git", "ls-files", "-z", "--deleted", "--", "chapters")
	command.Dir = s.root
	listed, err := command.Output()
	if err != nil {
		listed = nil // there is no git, or it knows nothing of the book
	}
	files := slices.Sorted(strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00"))
	files = slices.DeleteFunc(files, func(file string) bool { return file == "" || len(s.progress.openIn(file)) > 0 })
	s.misses = &files
	return files
}

// missingIn returns those of a chapter.
func (s *session) missingIn(chapter string) []string {
	return slices.DeleteFunc(slices.Clone(s.missing()), func(file string) bool {
		return !strings.HasPrefix(file, "chapters/"+chapter+"/")
	})
}

// missedIn returns the error for a chapter that cannot be read: a sentence for
// each file that is missing or, if none is, what was wrong.
func (s *session) missedIn(chapter string, wrong error) error {
	var errs []error
	for _, file := range s.missingIn(chapter) {
		errs = append(errs, errors.New(IsMissing(file)))
	}
	if len(errs) == 0 {
		return wrong
	}
	return errors.Join(errs...)
}

// IsMissing returns a sentence on a file that is missing.
func IsMissing(file string) string {
	return fmt.Sprintf("%s is missing: `git restore %s` brings it back, and so does the reset of an exercise of its chapter", file, file)
}

// bringBack writes the files that are missing in the chapter of an exercise, as
// git has them, and returns their names.
func (w *Workspace) bringBack(ctx context.Context, number string) (files []string, err error) {
	err = w.do(ctx, func(s *session) error {
		chapter, err := s.folderOf(number)
		if err != nil {
			return err
		}
		for _, file := range s.missingIn(chapter) {
			if text := s.committed(file); text != nil {
				s.change.put(s.path(file), text)
				files = append(files, file)
			}
		}
		return nil
	})
	return files, err
}
