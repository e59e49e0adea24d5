package exercise

import (
	"io/fs"
	"path"
	"strings"

	"reconcile/internal/source"
)

// A Kind says what a reader does in an exercise.
type Kind string

const (
	Write   Kind = "write"   // functions of the chapter, judged by its tests
	Predict Kind = "predict" // the lines of a recorded run
	Debug   Kind = "debug"   // the fault in a function that has one
	Extend  Kind = "extend"  // a package of one's own in a seam of the chapter
	Design  Kind = "design"  // an answer to a question, which is not judged
)

// sectionsOf lists the sections that the file of an exercise has below its
// statement.
var sectionsOf = map[Kind][]string{
	Write:   {"Hints", "Wrong answers"},
	Predict: {"Hints", "Wrong predictions"},
	Debug:   {"Hints", "Fault"},
	Extend:  {"Hints", "Wrong answers"},
	Design:  {"Answer"},
}

// Judged reports whether tests judge the reader's code.
func (k Kind) Judged() bool { return k == Write || k == Debug || k == Extend }

// Path names a file of the exercise's code, or one that does not exist yet,
// from the book's root.
func (e *Exercise) Path(file string) string {
	return path.Join("chapters", e.Chapter, e.Folder, file)
}

// loadKind reads what an exercise of its kind has besides its file.
func (e *Exercise) loadKind(folder fs.FS, chapterDir string, rooms []Room) error {
	switch e.Kind {
	case Extend:
		return e.loadPackage(folder, chapterDir)
	case Predict:
		if err := e.loadRun(folder); err != nil {
			return err
		}
		return e.checkPredictions()
	case Debug:
		if _, err := fs.Stat(folder, e.ownFolder()); err == nil {
			return source.Join(e.loadRun(folder), e.loadPackage(folder, chapterDir))
		}
		code, err := e.enter(rooms)
		return source.Join(err, e.loadRun(folder), e.checkFault(code))
	case Write:
		code, err := e.enter(rooms)
		return source.Join(err, e.checkCode(), e.checkAnswers(code))
	}
	return nil
}

// ownFolder returns where the exercise's own package is, if it has one.
func (e *Exercise) ownFolder() string { return "exercises/" + e.Number }

// Apart reports whether the exercise's code is a package of its own, which no
// page of the chapter shows.
func (e *Exercise) Apart() bool { return e.Folder == e.ownFolder() }

// loadPackage reads the package with the answer and its tests, the folder
// exercises/3i.
func (e *Exercise) loadPackage(folder fs.FS, chapterDir string) error {
	e.Folder = e.ownFolder()
	own, err := fs.Sub(folder, e.Folder)
	if err != nil {
		return err
	}
	code, err := source.Load(own, path.Join(chapterDir, e.Folder))
	if err != nil {
		return err
	}
	e.code = code
	e.Functions, e.Tests = code.Exercise(e.Number)
	err = unwritten(code, []*Exercise{e})
	if e.Kind == Debug {
		return source.Join(err, e.checkFault(code))
	}
	return source.Join(e.checkCode(), e.checkAnswers(code), err)
}

// checkFault finds the functions that the fault is in, and compares the rest
// with the chapter's code.
func (e *Exercise) checkFault(code *source.Package) error {
	var errs []error
	for _, fn := range e.Functions {
		errs = append(errs, source.At(fn.File.Path, fn.Line,
			"%s is marked //book:exercise %s: the fault says which functions have it", fn.Name, e.Number))
	}
	e.Functions = nil
	if len(e.Tests) == 0 {
		errs = append(errs, source.At(e.File, 1, "no test is marked //book:exercise %s", e.Number))
	}
	if len(e.Wrong) != 1 {
		return source.Join(errs...) // said already
	}
	errs = append(errs, e.checkAnswers(code))
	for _, r := range e.Wrong[0].replaces {
		for _, decl := range r.file.Decls {
			if decl.Name == r.name {
				e.Functions = append(e.Functions, decl)
			}
		}
	}
	return source.Join(errs...)
}

// Fault returns the code that an exercise in debugging has in the place of the
// book's.
func (e *Exercise) Fault() WrongAnswer { return e.Wrong[0] }

// A Run is a recording that an exercise is about: exercises/1i.txt.
type Run struct {
	Text  []byte
	Lines []string // without comments and empty ones
	Given int      // the number with which a prediction begins
	Rows  bool     // each line begins with a name, which a prediction is given
	Of    string   // recording of the chapter that comes out like this with the fault in it: "ladder.txt"
}

func (e *Exercise) loadRun(folder fs.FS) error {
	name := "exercises/" + e.Number + ".txt"
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return source.At(e.File, 1, "%s: a test records it: %v", name, err)
	}
	if err := source.PlainText(name, text); err != nil {
		return err
	}
	e.Run.Text, e.Run.Lines = text, linesOf(string(text))
	return nil
}

// linesOf returns the lines of a run or of a prediction: one that
// begins with # is a comment.
func linesOf(text string) []string {
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) { // Notepad begins a file with it
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
