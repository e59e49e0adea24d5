package exercise

import (
	"errors"
	"go/scanner"
	"path"
	"regexp"
	"slices"
	"strings"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/source"
)

const leastWrong = 3

// parseWrong reads the answers that look right, one under each ### heading.
func (e *Exercise) parseWrong(s section) error {
	var errs []error
	before, answers := s.body.sections("### ")
	if before.text() != "" {
		errs = append(errs, before.problem(before.trimmed().line,
			"text before the first wrong answer; each has a heading ###"))
	}
	for _, answer := range answers {
		wrong, err := parseWrongAnswer(answer, e.Kind != Debug)
		e.Wrong, errs = append(e.Wrong, wrong), append(errs, err)
	}
	switch {
	case e.Kind == Debug && len(answers) != 1:
		errs = append(errs, s.body.problem(s.line, "%d faults; an exercise has one", len(answers)))
	case len(answers) < leastWrong && e.Kind != Debug:
		errs = append(errs, s.body.problem(s.line, "%d wrong answers; an exercise has three or more", len(answers)))
	}
	return source.Join(errs...)
}

// caughtBy matches the sentence that begins a wrong answer: Caught by `TestA`,
// `TestB` and `TestC/no Pods`.
var (
	caughtBy = regexp.MustCompile("(?s)^Caught by (`[^`]+`(?:(?:,| and|, and)\\s+`[^`]+`)*)\\.(.*)$")
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// parseWrongAnswer reads a wrong answer. A fault is caught by all tests that
// judge, and names none.
func parseWrongAnswer(s section, caught bool) (WrongAnswer, error) {
	wrong := WrongAnswer{Name: s.title, Line: s.line}
	var errs []error
	if s.title == "" {
		errs = append(errs, s.body.problem(s.line, "a wrong answer has a name in its heading"))
	}
	prose, err := wrong.takeCode(s)
	errs = append(errs, err)
	match := caughtBy.FindStringSubmatch(prose)
	switch {
	case !caught:
		match = []string{"", "", prose}
	case match == nil:
		errs = append(errs, s.body.problem(s.line, "a wrong answer begins with: Caught by `TestName`."))
		return wrong, source.Join(errs...)
	}
	for _, name := range quoted.FindAllStringSubmatch(match[1], -1) {
		wrong.CaughtBy = append(wrong.CaughtBy, name[1])
	}
	wrong.Why = strings.TrimSpace(match[2])
	if wrong.Why == "" {
		errs = append(errs, s.body.problem(s.line, "say why one writes this answer, and what would happen"))
	}
	return wrong, source.Join(errs...)
}

// takeCode finds the block of Go, and returns the prose around it.
func (w *WrongAnswer) takeCode(s section) (prose string, err error) {
	prose, code, err := s.code("go")
	w.Code, w.codeLine = []byte(strings.Join(code.lines, "\n")+"\n"), code.line
	return prose, err
}

// checkWrong compares the wrong answers with the chapter's code.
func (e *Exercise) checkWrong(code *source.Package) error {
	var errs []error
	for i := range e.Wrong {
		wrong := &e.Wrong[i]
		for _, test := range wrong.CaughtBy {
			if !hasTest(code, test) {
				errs = append(errs, source.At(e.File, wrong.Line,
					"%q is caught by %s, which is no test of %s", wrong.Name, test, path.Join(e.Chapter, e.Folder)))
			}
		}
		errs = append(errs, e.findReplaced(wrong, code))
	}
	return source.Join(errs...)
}

func hasTest(code *source.Package, test string) bool {
	name, _, _ := strings.Cut(test, "/")
	return slices.ContainsFunc(code.Files, func(f *source.File) bool {
		return f.Test && strings.HasPrefix(name, "Test") &&
			slices.ContainsFunc(f.Decls, func(d *source.Decl) bool { return d.Name == name })
	})
}

// findReplaced looks up the declarations of a wrong answer.
func (e *Exercise) findReplaced(wrong *WrongAnswer, code *source.Package) error {
	if wrong.codeLine == 0 {
		return nil // said already
	}
	declared, err := cut.Declared(wrong.Code)
	if err != nil {
		return e.syntaxError(wrong, err)
	}
	if len(declared) == 0 {
		return source.At(e.File, wrong.codeLine, "%q replaces nothing", wrong.Name)
	}
	var errs []error
	for _, name := range declared {
		file := declaring(code, name)
		if file == nil {
			errs = append(errs, source.At(e.File, wrong.codeLine,
				"%q replaces %s, which %s does not declare", wrong.Name, name, path.Join(e.Chapter, e.Folder)))
			continue
		}
		wrong.replaces = append(wrong.replaces, replacement{file, name})
	}
	return source.Join(errs...)
}

// declaring returns the file with a declaration, tests excepted.
func declaring(code *source.Package, name string) *source.File {
	for _, file := range code.Files {
		for _, decl := range file.Decls {
			if !file.Test && slices.Contains(decl.Names, name) {
				return file
			}
		}
	}
	return nil
}

func (e *Exercise) syntaxError(wrong *WrongAnswer, err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return source.At(e.File, wrong.codeLine, "%v", err)
	}
	var errs []error
	for _, problem := range list {
		errs = append(errs, source.At(e.File, wrong.codeLine+problem.Pos.Line-1, "%q: %s", wrong.Name, problem.Msg))
	}
	return source.Join(errs...)
}
