package exercise

import (
	"fmt"
	"slices"

	"reconcile/internal/source"
)

// An Exercise is something that the reader does in a chapter, of one of five
// kinds.
type Exercise struct {
	Number  string // "1c": chapter 1, the third exercise
	Title   string
	Summary string // what there is to do, and why, in two sentences; may be empty
	Span           // how long it takes
	Difficulty
	Kind    Kind
	Chapter string // the chapter's folder, "01-control-loop"
	Folder  string // where its code is within the chapter's folder; "": in that itself
	File    string // path of the Markdown file, as errors print it

	Statement     []byte // Markdown
	StatementLine int
	Hints         []string // Markdown; three, from a nudge to nearly the answer
	HintLines     []int    // where each begins

	Functions []*source.Decl // to write, or to mend
	Tests     []*source.Decl // that judge, marked with its number
	Also      []*source.Decl // that judge because they reach its functions
	Wrong     []WrongAnswer
	Right     []Answer // besides the book's
	Nameless  []Answer // wrong answers that fit none of the listed names

	Run         Run // to predict, or with the fault
	Predictions []WrongPrediction
	Answer      []byte // Markdown, of a question
	AnswerLine  int

	needs   []need
	code    *source.Package // that its functions are in
	tooSlow int             // tests that reach its functions
}

// An Answer is one that is not the book's.
type Answer struct {
	Name string
	Why  string // Markdown: why one writes it, and what would happen
	Code []byte // declarations that replace those of the same names
	File string // as errors print it
	Line int    // of the heading

	codeLine int
	replaces []replacement
}

// A WrongAnswer is one that people really give.
type WrongAnswer struct {
	Answer
	CaughtBy []string // tests, "TestPlan" or "TestPlan/no Pods"
	Says     Saying   // the words of the tests that judge it
}

// A replacement is a declaration of the chapter in whose place an answer has
// another.
type replacement struct {
	file *source.File
	name string
}

// TestPattern matches the names of the tests that judge, for go test -run.
func (e *Exercise) TestPattern() string { return AnyOf(names(e.Tests)) }

// AlsoPattern does the same for those that judge without a mark.
func (e *Exercise) AlsoPattern() string { return AnyOf(names(e.Also)) }

// Marked reports whether a test of the first level is marked to judge it.
func (e *Exercise) Marked(test string) bool { return slices.Contains(names(e.Tests), test) }

// Test returns the declaration of a test that judges it, or nil.
func (e *Exercise) Test(name string) *source.Decl {
	for _, decl := range slices.Concat(e.Tests, e.Also) {
		if decl.Name == name {
			return decl
		}
	}
	return nil
}

// Note returns the comment in the body of a function that is still to be
// written.
func (e *Exercise) Note() string {
	return fmt.Sprintf("Exercise %s, %s: yours to write.\ngo run ./cmd/lab exercise test %s",
		e.Number, e.Title, e.Number)
}

// ByFile returns the functions to write, in the files that have them.
func (e *Exercise) ByFile() map[*source.File][]string {
	files := make(map[*source.File][]string)
	for _, fn := range e.Functions {
		files[fn.File] = append(files[fn.File], fn.Name)
	}
	return files
}

func names(decls []*source.Decl) []string {
	var all []string
	for _, decl := range decls {
		all = append(all, decl.Name)
	}
	return all
}
