// Lab is for the reader of the book: it hands out the exercises, starts a
// cluster made of the book's code, and has kubectl for it.
//
//	go run ./cmd/lab exercise start 1.1
//	go run ./cmd/lab up
//	go run ./cmd/lab kubectl get nodes
//
// It holds no chapter, so that it is there at once after an edit of one: the
// commands that need them are a program of its own, the folder cluster.
//
// main.go is the program, exercise.go the group of commands on exercises
// with what they share; list.go, start.go, hint.go and test.go are those
// commands, and verdict.go prints the outcome of a test. cluster.go hands
// up, node and kubectl over. Another command is another file, with a line in
// newRoot.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the program without the process: it returns the exit code.
func run(ctx context.Context, arguments []string, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(arguments)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, errNotPassed):
		return 1 // the tests have said why
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "lab: interrupted; nothing is lost")
		return 130
	}
	fmt.Fprintln(errs, "lab:", err)
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lab",
		Short: "Work through the book",
		Long: `Lab hands out the exercises of the book and keeps your progress, and runs the
book's control plane for kubectl to drive.

Run it from any folder of the book: go run ./cmd/lab at its root, or
go run reconcile/cmd/lab everywhere else in it.`,
		Args:          cobra.NoArgs,
		RunE:          showHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newExerciseCommand())
	root.AddCommand(newClusterCommands()...)
	return root
}

// exitCode is the exit code of a program that has said why.
type exitCode int

// Error implements error.
func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func showHelp(command *cobra.Command, _ []string) error { return command.Help() }
