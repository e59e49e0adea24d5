//go:build !js

package main

import "github.com/spf13/cobra"

// newMachineCommands returns the commands that a machine has, and a page has not.
func newMachineCommands() []*cobra.Command {
	return append(newClusterCommands(), newReadCommand(), newWorkshopCommand(), newLicencesCommand())
}
