package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/exercise/workspace"
)

// clusterTool is the program with the chapters in it, by its name as go.mod has
// it among the tools.
const clusterTool = "cluster"

// newClusterCommands returns the commands that need the chapters. Their flags
// and their help are the other program's.
func newClusterCommands() []*cobra.Command {
	become := func(command *cobra.Command, arguments []string) error {
		return becomeCluster(command, append([]string{command.Name()}, arguments...))
	}
	return []*cobra.Command{
		{Use: "up", Short: "Start a cluster that kubectl can drive", DisableFlagParsing: true, RunE: become},
		{Use: "node", Short: "Add machines to the lab that runs, cut them off, switch them off and on", DisableFlagParsing: true, RunE: become},
		newDoctorCommand(become),
		{Use: "torture", Short: "Kill real databases in mid-write, and look what they still know", DisableFlagParsing: true, RunE: become},
		{Use: "kubectl", Short: "Run Kubernetes' own kubectl against the lab that runs", DisableFlagParsing: true, RunE: become},
	}
}

// becomeCluster builds the program, if the chapters have changed since, and
// becomes it.
func becomeCluster(command *cobra.Command, arguments []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := workspace.Find(dir); err != nil {
		return err
	}
	path, err := buildCluster(command)
	if err != nil {
		return err
	}
	return become(path, append([]string{"lab"}, arguments...))
}

// patience is how long a build may take without a word.
const patience = 3 * time.Second

// buildCluster returns the path of the program. The go tool keeps it in its
// cache, and links it again only when something has changed.
func buildCluster(command *cobra.Command) (path string, err error) {
	slow := time.AfterFunc(patience, func() {
		fmt.Fprintln(command.ErrOrStderr(), "lab: compiling; the first time, with Kubernetes' libraries, that takes some minutes")
	})
	defer slow.Stop()
	build := exec.CommandContext(command.Context(), "go", "tool", "-n", clusterTool)
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // it tidies up
	build.Stderr = command.ErrOrStderr()
	out, err := build.Output()
	if command.Context().Err() != nil {
		return "", context.Cause(command.Context())
	}
	if err != nil {
		return "", program.ExitCode(1) // the go tool has said why
	}
	return strings.TrimSpace(string(out)), nil
}
