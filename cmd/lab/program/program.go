// Package program starts lab's two programs, and ends them.
package program

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

// ExitCode is the exit code of a program that has said why.
type ExitCode int

// Error implements error.
func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Main runs a command until it ends or is interrupted, and ends the process.
func Main(root *cobra.Command) {
	// Nothing stops this before the process has ended. A lab in its room is asked to
	// end until it has; asked in between, it would end with Go's own code.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	os.Exit(Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr))
}

// Run does what Main does without the process: it returns the exit code.
func Run(
	ctx context.Context, root *cobra.Command, arguments []string, out, errs io.Writer,
) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(arguments)
	root.SetOut(out)
	root.SetErr(errs)
	nameExamples(root)
	err := root.ExecuteContext(ctx)
	var code ExitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "lab: interrupted; nothing is lost")
		return 130
	}
	fmt.Fprintln(errs, "lab:", AsCalled(err.Error()))
	return 1
}
