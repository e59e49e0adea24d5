package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/internal/english"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
)

func newStartCommand() *cobra.Command {
	return oneExercise(&cobra.Command{
		Use:   "start NUMBER",
		Short: "Begin an exercise: its functions are taken out, for you to write",
		Long: `Begin an exercise. What it is to write is taken out; of one that is to be debugged,
a fault is put in; a prediction and the answer to a question get a file to write into.

The rest of a file stays as it is. Starting is refused when a file has changes that are not in
git yet (or, without git, differs from the book's version). Several exercises can
be started at once; starting one again changes nothing, unless its functions are the
book's again, as after a git checkout.`,
		Example: examples("start 1b"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			done, err := w.Start(command.Context(), arguments[0])
			if err != nil {
				return err
			}
			tellStart(command, w, done)
			reportAgain(command, w)
			return nil
		},
	}, true)
}

func tellStart(command *cobra.Command, w *workspace.Workspace, done workspace.Started) {
	out, e := paperOf(command), done.Exercise
	if done.Already {
		fmt.Fprintf(out, "Exercise %s is started already; nothing has changed. To begin again: %sreset %s, then start it\n\n",
			e.Number, byHand, e.Number)
	}
	fmt.Fprintf(out, "%s · %s\n\n", heading(e), e.Span)
	out.prose(string(e.Statement))
	fmt.Fprintln(out)
	tellTask(out, done)
	tellPage(out, w, e)
	tellKept(command, done.Kept)
	if byHand == inTheBook && !done.Already && (e.Kind == exercise.Write || e.Kind == exercise.Extend) { // a packed folder has no git
		fmt.Fprintln(out, "Mind that `git diff` shows what was taken out.")
	}
	if e.Kind != exercise.Design {
		fmt.Fprintf(out, "\nThen: %stest %s\nStuck: %shint %s\n", byHand, e.Number, byHand, e.Number)
	}
}

// tellPage says where the page of an exercise is, if the site lies beside the chapters.
// Opened by this address, the book folds its answers away.
func tellPage(out paper, w *workspace.Workspace, e *exercise.Exercise) {
	page := filepath.Join(w.Root(), "site", e.Chapter, "exercises", e.Number+".md.html")
	if _, err := os.Stat(page); err == nil {
		fmt.Fprintf(out, "Its page, with the answers of the book folded away: file://%s#doing\n", filepath.ToSlash(page))
	}
}

// tellTask prints the task of an exercise, and where its files are.
func tellTask(out paper, done workspace.Started) {
	e := done.Exercise
	switch e.Kind {
	case exercise.Predict:
		fmt.Fprintf(out, "The file to write into: %s\n", done.Sheet)
	case exercise.Debug:
		fmt.Fprintf(out.raw, "This is what it does:\n\n%s\n", indented(string(e.Run.Text)))
		fmt.Fprintf(out, "One of the files of chapters/%s is no longer the book's. Find out what is wrong before you ask git which.\n", e.Chapter)
	case exercise.Design:
		fmt.Fprintf(out, "Think, talk, write it down in %s. Then: %ssolution %s\n", done.Sheet, byHand, e.Number)
	default:
		for _, fn := range e.Functions {
			fmt.Fprintf(out, "Write %s in %s\n", fn.Name, e.Path(fn.File.Name))
		}
	}
}

func newNextCommand() *cobra.Command {
	all := false
	next := &cobra.Command{
		Use:   "next",
		Short: "Start the next exercise, or show the one that is open",
		Long: `Start the exercise that follows: the first, after the one that you started
last, that you have not passed. In the course it is the next of the course; outside
of it, the next in the book. While that one is open it is shown again, and nothing
changes. After the course's last exercise it says so, and --all goes on with the others.`,
		Example: examples("next"),
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			next, err := w.NextToDo(command.Context())
			if err != nil {
				return err
			}
			if next == nil {
				fmt.Fprintln(paperOf(command), allPassed)
				return nil
			}
			if ended, err := leavesCourse(command, w, next.Number); err != nil || ended && !all {
				fmt.Fprintf(paperOf(command), "%s\nTo go on with all the others: %snext --all\n", courseEnds, byHand)
				return err
			}
			done, err := w.Start(command.Context(), next.Number)
			if err != nil {
				return err
			}
			tellStart(command, w, done)
			reportAgain(command, w)
			return nil
		},
	}
	next.Flags().BoolVar(&all, "all", false, "also those that are not of the course")
	return next
}

// leavesCourse reports whether a reader has done all of a course, the last thing with it,
// and would begin another exercise.
func leavesCourse(command *cobra.Command, w *workspace.Workspace, next string) (bool, error) {
	latest, err := w.Latest(command.Context())
	if err != nil || slices.Contains(w.Way, next) {
		return false, nil // nothing is started yet
	}
	return w.CourseEnds(command.Context(), latest)
}

func newGotoCommand() *cobra.Command {
	return oneExercise(&cobra.Command{
		Use:   "goto NUMBER",
		Short: "Start an exercise with the book's version of all before it",
		Long: `Start an exercise with the book's version of all that come before it, in whatever
state their files are. What you had written is kept under .reconcile/kept, and
what you have passed stays passed.`,
		Example: examples("goto 3c"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			done, err := w.Goto(command.Context(), arguments[0])
			if err != nil {
				return err
			}
			if tellBack(command, done.Back) {
				fmt.Fprintln(command.OutOrStdout())
			}
			tellStart(command, w, done.Started)
			return nil
		},
	}, true)
}

// tellBack prints what was put back, and reports whether anything was.
func tellBack(command *cobra.Command, back workspace.AllBack) bool {
	out := paperOf(command)
	if len(back.Ended) > 0 {
		fmt.Fprintf(out, "Put back: %s\n", english.List(back.Ended))
	}
	for _, file := range back.Files {
		fmt.Fprintf(out, "%s is the book's again.\n", file)
	}
	tellKept(command, back.Kept)
	return len(back.Ended)+len(back.Files) > 0
}

func newResetCommand() *cobra.Command {
	whole, all := false, false
	command := oneExercise(&cobra.Command{
		Use:   "reset NUMBER",
		Short: "Put the book's version of an exercise back",
		Long: `Put the book's functions of an exercise back, and leave the rest of their files
as it is; with --file or --all, put back the files. Files of the chapter that are missing
come back from git. What you wrote is kept under .reconcile/kept.`,
		Example: examples("reset 1b", "reset 1b --file", "reset --all"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			if all {
				return resetAll(command, w)
			}
			done, err := w.Reset(command.Context(), arguments[0], whole)
			if err == nil {
				tellReset(command, done)
			}
			return err
		},
	}, true)
	command.Flags().BoolVar(&whole, "file", false, "put back whole files, with everything else that was changed in them")
	orAll(command, &all, "put back every exercise, with everything else that was changed in their files")
	return command
}

func resetAll(command *cobra.Command, w *workspace.Workspace) error {
	back, err := w.ResetAll(command.Context())
	if err == nil && !tellBack(command, back) {
		fmt.Fprintln(paperOf(command), "Everything is the book's already; no file has changed.")
	}
	return err
}

func tellReset(command *cobra.Command, done workspace.PutBack) {
	out := paperOf(command)
	for _, file := range done.Missing {
		fmt.Fprintf(out, "%s was missing, and is back.\n", file)
	}
	if len(done.Files)+len(done.Missing) == 0 {
		fmt.Fprintf(out, "Exercise %s is the book's already; no file has changed.\n", done.Exercise.Number)
	}
	is := "is gone"
	if done.Exercise.Kind.Judged() {
		is = "has the book's version of exercise " + done.Exercise.Number + " again"
	}
	for _, file := range done.Files {
		fmt.Fprintf(out, "%s %s.\n", file, is)
		if done.Kept == "" {
			fmt.Fprintln(out, "You had written nothing in it, so no copy is kept.")
		}
	}
	tellKept(command, done.Kept)
	if len(done.Also) > 0 {
		fmt.Fprintf(out, "Reset with it: %s\n", strings.Join(done.Also, ", "))
	}
}

func tellKept(command *cobra.Command, folder string) {
	if folder != "" {
		fmt.Fprintf(paperOf(command), "What you had written is kept in %s\n", folder)
	}
}
