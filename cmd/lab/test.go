package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reconcile/internal/exercise/workspace"
)

// errNotPassed makes the exit code 1 where the output has said everything.
var errNotPassed = errors.New("the tests do not pass")

func newTestCommand() *cobra.Command {
	return oneExercise(&cobra.Command{
		Use:   "test NUMBER",
		Short: "Run the tests that judge an exercise",
		Long: `Run the tests that judge an exercise, and remember the result. The exit code is
1 when they do not pass. The command that does the same by hand is printed first.`,
		Example: examples("test 1.1"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			return test(command.Context(), command, w, arguments[0])
		},
	}, true)
}

func test(ctx context.Context, command *cobra.Command, w *workspace.Workspace, number string) error {
	out := command.OutOrStdout()
	done, err := w.Test(ctx, number, out, func(begun workspace.Tested) {
		fmt.Fprintf(out, "%s\n%s\n", heading(begun.Exercise), begun.Command)
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, done.Result)
	switch {
	case !done.Started:
		fmt.Fprintf(out, "This is the book's own answer: exercise %s is not started. To write yours: %sstart %s\n",
			number, byHand, number)
	case done.Result.Passed():
		err = tellNext(ctx, command, w, number)
	}
	if err == nil && !done.Result.Passed() {
		return errNotPassed
	}
	return err
}

func tellNext(ctx context.Context, command *cobra.Command, w *workspace.Workspace, number string) error {
	out := command.OutOrStdout()
	fmt.Fprintf(out, "\nWell done. Compare with the book's answer: %ssolution %s\n", byHand, number)
	next, err := w.Next(ctx, number)
	if err != nil {
		return err
	}
	if next == nil {
		fmt.Fprintln(out, "That was the last one: you have passed them all.")
		return nil
	}
	fmt.Fprintf(out, "Next: %s, about %d minutes: %sstart %s\n", next.Title, next.Minutes, byHand, next.Number)
	return nil
}

func newWatchCommand() *cobra.Command {
	return oneExercise(&cobra.Command{
		Use:   "watch [NUMBER]",
		Short: "Run an exercise's tests again after every save",
		Long: `Run an exercise's tests now, and again whenever a Go file of its chapter is
saved. Without a number, it is the exercise that you started last. Ctrl-C ends it.`,
		Example: examples("watch", "watch 1.1"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			number := ""
			if len(arguments) > 0 {
				number = arguments[0]
			} else if number, err = w.Latest(command.Context()); err != nil {
				return err
			}
			return watch(command, w, number)
		},
	}, false)
}

func watch(command *cobra.Command, w *workspace.Workspace, number string) error {
	out := command.OutOrStdout()
	return w.Watch(command.Context(), number, func(ctx context.Context) {
		err := test(ctx, command, w, number)
		if ctx.Err() != nil {
			return // ended by ctrl-C, or by a save that begins anew
		}
		if err != nil && !errors.Is(err, errNotPassed) {
			fmt.Fprintln(command.ErrOrStderr(), "lab:", err)
		}
		fmt.Fprint(out, "\nWaiting for a save; ctrl-C ends.\n\n")
	})
}
