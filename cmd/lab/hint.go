package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

func newHintCommand() *cobra.Command {
	all := false
	command := oneExercise(&cobra.Command{
		Use:     "hint NUMBER",
		Short:   "Give the next of an exercise's three hints",
		Example: examples("hint 1b", "hint 1b --all"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			hints, err := w.Hint(command.Context(), arguments[0], all)
			if err != nil {
				return err
			}
			if len(hints) == 0 {
				return fmt.Errorf("exercise %s has no hints; `%ssolution %s` shows an answer", arguments[0], byHand, arguments[0])
			}
			defer reportAgain(command, w)
			out := paperOf(command)
			for _, hint := range hints {
				fmt.Fprintf(out, "Hint %d of 3\n\n", hint.Number)
				out.prose(hint.Text)
				fmt.Fprintln(out)
			}
			if hints[len(hints)-1].Number == 3 {
				fmt.Fprintf(out, "That was the last hint. The answer: %ssolution %s\n", byHand, arguments[0])
			}
			return nil
		},
	}, true)
	command.Flags().BoolVar(&all, "all", false, "give all three")
	return command
}

func newSolutionCommand() *cobra.Command {
	write, others := false, false
	command := oneExercise(&cobra.Command{
		Use:   "solution NUMBER",
		Short: "Show the book's answer, or write it into the file",
		Long: `Show the book's answer. With --write it replaces yours, which is kept under
.reconcile/kept; the exercise stays started, so that you can compare and go on. With
--others it's up to two other answers that are right.`,
		Example: examples("solution 1b", "solution 1b --write", "solution 1b --others"),
		RunE: func(command *cobra.Command, arguments []string) error {
			if write {
				return writeSolution(command, arguments[0])
			}
			w, err := open(command)
			if err != nil {
				return err
			}
			e, err := w.Solution(command.Context(), arguments[0])
			if err != nil {
				return err
			}
			if others {
				return tellOthers(paperOf(command), e)
			}
			tellSolution(command, e)
			return nil
		},
	}, true)
	command.Flags().BoolVar(&write, "write", false, "put it into the files in the place of yours")
	command.Flags().BoolVar(&others, "others", false, "other right answers")
	return command
}

// mostOthers is how many other answers are shown.
const mostOthers = 2

// tellOthers prints right answers that are not the book's.
func tellOthers(out paper, e *exercise.Exercise) error {
	if len(e.Right) == 0 {
		return fmt.Errorf("of exercise %s the book has no other answer than its own", e.Number)
	}
	for i, answer := range e.Right[:min(len(e.Right), mostOthers)] {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s\n\n", answer.Name)
		out.prose(answer.Why)
		fmt.Fprintf(out.raw, "\n%s", indented(string(answer.Code)))
	}
	return nil
}

func tellSolution(command *cobra.Command, e *exercise.Exercise) {
	out := paperOf(command)
	switch e.Kind {
	case exercise.Predict:
		fmt.Fprintln(out.raw, strings.Join(e.Run.Lines, "\n"))
	case exercise.Design:
		fmt.Fprintf(out, "Hold this beside mine/%s.txt, and tick what you have said as well.\n\n", e.Number)
		out.prose(checklist(string(e.Answer)))
	case exercise.Debug:
		fmt.Fprintf(out, "%s. %s\n\n", e.Fault().Name, e.Fault().Why)
	}
	for i, fn := range e.Functions {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out.raw, "// %s\n\n%s\n", e.Path(fn.File.Name), answer(fn))
	}
}

// checklist puts a box before each paragraph of a text.
func checklist(text string) string { return box + strings.ReplaceAll(text, "\n\n", "\n\n"+box) }

const box = "- [ ] "

// directive matches lines that are for the book alone, with the empty comment
// line that gofmt puts before them.
var directive = regexp.MustCompile(`(?m)^(//\n)?//book:.*\n`)

// answer returns a function as the book shows it.
func answer(fn *source.Decl) []byte {
	return directive.ReplaceAll(fn.File.Content[fn.Start:fn.End], nil)
}

func writeSolution(command *cobra.Command, number string) error {
	w, err := open(command)
	if err != nil {
		return err
	}
	done, err := w.WriteSolution(command.Context(), number)
	if err != nil {
		return err
	}
	out := paperOf(command)
	if len(done.Files) == 0 {
		fmt.Fprintln(out, "The book's answer is there already; no file has changed.")
	}
	for _, file := range done.Files {
		fmt.Fprintf(out, "The book's answer is in %s\n", file)
	}
	tellKept(command, done.Kept)
	return nil
}
