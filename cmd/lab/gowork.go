package main

import (
	"github.com/spf13/cobra"

	"reconcile/internal/exercise/workspace"
	"reconcile/internal/gowork"
)

// openToBuild does what open does, for a command that runs the go tool.
func openToBuild(command *cobra.Command) (*workspace.Workspace, error) {
	w, err := open(command)
	if err == nil {
		leaveGoWork(command, w.Root())
	}
	return w, err
}

// leaveGoWork has the go tool build the module in a folder, in spite of a go.work
// above that doesn't list it.
func leaveGoWork(command *cobra.Command, module string) {
	gowork.Leave(module, "lab", command.ErrOrStderr())
}
