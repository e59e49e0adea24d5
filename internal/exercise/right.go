package exercise

import (
	"io/fs"
	"path/filepath"
	"strings"

	"reconcile/internal/source"
)

// loadRight reads the right answers that are not the book's, each from a file of
// the folder exercises/1.2.right: a heading, what is unusual about it, and the
// code.
func (e *Exercise) loadRight(folder fs.FS, chapterDir string) error {
	files, err := fs.Glob(folder, "exercises/"+e.Number+".right/*.md")
	errs := []error{err}
	for _, name := range files {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		whole := passage{filepath.Join(chapterDir, filepath.FromSlash(name)), 1, strings.Split(string(text), "\n")}
		before, sections := whole.sections("# ")
		switch {
		case !e.Kind.Judged():
			errs = append(errs, whole.problem(1, "only an exercise whose answer is code has right ones besides the book's"))
			continue
		case len(sections) != 1 || before.text() != "" || sections[0].title == "":
			errs = append(errs, whole.problem(1, "a right answer has one heading, # and its name, on its first line"))
			continue
		}
		right := sections[0].answer()
		right.Why, err = right.takeCode(sections[0])
		e.Right, errs = append(e.Right, right), append(errs, err)
	}
	return source.Join(errs...)
}
