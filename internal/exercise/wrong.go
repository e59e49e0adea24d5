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
	wrong := WrongAnswer{Answer: s.answer()}
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

func (s section) answer() Answer { return Answer{Name: s.title, File: s.body.file, Line: s.line} }

// takeCode finds the block of Go, and returns the prose around it.
func (a *Answer) takeCode(s section) (prose string, err error) {
	prose, code, err := s.code("go")
	a.Code, a.codeLine = []byte(strings.Join(code.lines, "\n")+"\n"), code.line
	return prose, err
}

// checkAnswers compares the wrong answers, and the right ones, with the chapter's
// code.
func (e *Exercise) checkAnswers(code *source.Package) error {
	var errs []error
	for _, answers := range [][]Answer{e.Right, e.Nameless} {
		for i := range answers {
			errs = append(errs, e.findReplaced(&answers[i], code))
		}
	}
	for i := range e.Wrong {
		wrong := &e.Wrong[i]
		for _, test := range wrong.CaughtBy {
			if !hasTest(code, test) {
				errs = append(errs, source.At(e.File, wrong.Line,
					"%q is caught by %s, which is no test of %s", wrong.Name, test, path.Join(e.Chapter, e.Folder)))
			}
		}
		errs = append(errs, e.findReplaced(&wrong.Answer, code))
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

// findReplaced looks up the declarations of an answer.
func (e *Exercise) findReplaced(a *Answer, code *source.Package) error {
	if a.codeLine == 0 {
		return nil // said already
	}
	declared, err := cut.Declared(a.Code)
	if err != nil {
		return a.syntaxError(err)
	}
	if len(declared) == 0 {
		return source.At(a.File, a.codeLine, "%q replaces nothing", a.Name)
	}
	var errs []error
	for _, name := range declared {
		file := declaring(code, name)
		if file == nil {
			errs = append(errs, source.At(a.File, a.codeLine,
				"%q replaces %s, which %s does not declare", a.Name, name, path.Join(e.Chapter, e.Folder)))
			continue
		}
		a.replaces = append(a.replaces, replacement{file, name})
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

func (a *Answer) syntaxError(err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return source.At(a.File, a.codeLine, "%v", err)
	}
	var errs []error
	for _, problem := range list {
		errs = append(errs, source.At(a.File, a.codeLine+problem.Pos.Line-1, "%q: %s", a.Name, problem.Msg))
	}
	return source.Join(errs...)
}
