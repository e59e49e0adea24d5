package exercise

import (
	"io/fs"
	"path/filepath"
	"strings"

	"reconcile/internal/source"
)

// loadAnswers reads the answers that no exercise lists, each from a file: the right
// ones that are not the book's from the folder exercises/1c.right, and wrong ones that
// get no name from exercises/1c.nameless. A file has a heading, what is unusual about
// the answer, and the code.
func (e *Exercise) loadAnswers(folder fs.FS, chapterDir string) (err error) {
	var errs []error
	e.Right, err = e.answersIn(folder, chapterDir, "right")
	errs = append(errs, err)
	e.Nameless, err = e.answersIn(folder, chapterDir, "nameless")
	return source.Join(append(errs, err)...)
}

func (e *Exercise) answersIn(folder fs.FS, chapterDir, kind string) (all []Answer, err error) {
	files, err := fs.Glob(folder, "exercises/"+e.Number+"."+kind+"/*.md")
	errs := []error{err}
	for _, name := range files {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		whole := passage{filepath.Join(chapterDir, filepath.FromSlash(name)), 1, strings.Split(string(text), "\n")}
		before, sections := whole.sections("# ")
		switch {
		case !e.Kind.Judged():
			errs = append(errs, whole.problem(1, "only an exercise whose answer is code has other ones"))
			continue
		case len(sections) != 1 || before.text() != "" || sections[0].title == "":
			errs = append(errs, whole.problem(1, "an answer has one heading, # and its name, on its first line"))
			continue
		}
		answer := sections[0].answer()
		answer.Why, err = answer.takeCode(sections[0])
		all, errs = append(all, answer), append(errs, err)
	}
	return all, source.Join(errs...)
}
