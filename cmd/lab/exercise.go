package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/workshop/course"
)

// byHand is how a reader calls this program for an exercise. The script of a folder
// that was packed says its own name.
var byHand = program.AsCalled(inTheBook)

const inTheBook = "go run ./cmd/lab exercise "

func newExerciseCommand() *cobra.Command {
	group := &cobra.Command{
		Use:     "exercise",
		Aliases: []string{"exercises", "ex"},
		Short:   "Write the book's code yourself, a function at a time",
		Long: `An exercise is a function of the book that you write yourself. Starting it
takes the body out of the function, in its file; its tests then fail, and you
make them pass. What you write is yours: whatever a command puts in its place is
kept under .reconcile/kept first, and the command prints where.

Without lab you delete the body of a function, return a zero value, and run the
tests that its card names with go test. They say less then, and are fewer.`,
		Example: examples("list", "next", "start 1b", "test 1b", "hint 1b", "watch", "reset 1b"),
		Args:    known,
		RunE:    showHelp,
	}
	group.AddCommand(
		newListCommand(), newStartCommand(), newNextCommand(), newGotoCommand(), newCheckpointCommand(), newResetCommand(),
		newHintCommand(), newSolutionCommand(),
		newTestCommand(), newWatchCommand(), newReportCommand(), newFlagCommand(),
	)
	return group
}

func examples(lines ...string) string {
	return "  " + byHand + strings.Join(lines, "\n  "+byHand)
}

// open finds the workspace of the book in which lab is run.
func open(command *cobra.Command) (*workspace.Workspace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w, err := workspace.Find(dir)
	if err != nil {
		return nil, err
	}
	w.Warn = func(message string) { fmt.Fprintln(command.ErrOrStderr(), "lab:", message) }
	_, alone, err := course.Load(filepath.Join(w.Root(), course.Folder))
	if err != nil {
		w.Warn(err.Error()) // somebody is at work on a course
	}
	if alone != nil {
		w.Way = alone.Exercises()
	}
	return w, nil
}

// oneExercise makes a command take the number of an exercise, or up to one.
func oneExercise(command *cobra.Command, required bool) *cobra.Command {
	command.Args = func(_ *cobra.Command, arguments []string) error {
		switch {
		case len(arguments) > 1:
			return fmt.Errorf("one exercise at a time, not %d", len(arguments))
		case len(arguments) == 0 && required:
			return fmt.Errorf("which exercise? `%s%s 1b`, for example; `%slist --all` shows them", byHand, command.Name(), byHand)
		}
		return nil
	}
	run := command.RunE
	command.RunE = func(command *cobra.Command, arguments []string) error {
		if dir, err := os.Getwd(); err == nil {
			if w, err := workspace.Find(dir); err == nil {
				program.Renamed(command, arguments, w.Number)
			}
		}
		return run(command, arguments)
	}
	command.ValidArgsFunction = completeNumbers
	return command
}

// orAll lets a command take all exercises in the place of one.
func orAll(command *cobra.Command, all *bool, usage string) {
	one := command.Args
	command.Args = func(command *cobra.Command, arguments []string) error {
		switch {
		case *all && len(arguments) > 0:
			return errors.New("either one exercise, or --all")
		case *all:
			return nil
		}
		return one(command, arguments)
	}
	command.Flags().BoolVar(all, "all", false, usage)
}

// completeNumbers offers the exercises' numbers to the shell.
func completeNumbers(command *cobra.Command, arguments []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(arguments) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	w, err := open(command)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var numbers []cobra.Completion
	for _, line := range lines {
		numbers = append(numbers, cobra.CompletionWithDesc(line.Exercise.Number, line.Exercise.Title))
	}
	return numbers, cobra.ShellCompDirectiveNoFileComp
}

func heading(e *exercise.Exercise) string {
	return fmt.Sprintf("Exercise %s · %s", e.Number, e.Title)
}

// indented sets a text off from the commands around it.
func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString("  ")
		}
		out.WriteString(line)
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}
