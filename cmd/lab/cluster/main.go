// Cluster is the part of lab that holds the chapters: a cluster made of them,
// its machines, and kubectl for it. Lab builds and becomes it when the reader
// asks for one of these, so that the exercises need not wait for Kubernetes'
// libraries to be linked.
//
// A command has a file by its name.
package main

import (
	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
)

func main() { program.Main(newRoot()) }

func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "lab"}
	root.AddCommand(newUpCommand(), newNodeCommand(), newLoopCommand(), newWhyCommand(), newImageCommand(),
		newDoctorCommand(), newTortureCommand(), newKubectlCommand())
	return root
}
