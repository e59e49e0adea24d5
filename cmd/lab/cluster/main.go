// Cluster is the part of lab that holds the chapters: a cluster made of them, its
// machines, and kubectl for it. Lab builds and becomes it when it is asked for one
// of them, so that the exercises need not wait for Kubernetes' libraries to be
// linked.
//
// main.go is the program; up.go, node.go, doctor.go and kubectl.go are a command each.
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
	root := &cobra.Command{Use: "lab", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(newUpCommand(), newNodeCommand(), newDoctorCommand(),
		newTortureCommand(), newKubectlCommand())
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
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "lab: interrupted; nothing is lost")
		return 130
	}
	fmt.Fprintln(errs, "lab:", err)
	return 1
}
