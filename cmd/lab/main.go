// Lab is the reader's tool: it hands out the exercises, starts a cluster made
// of the book's code, and has kubectl for it.
//
//	go run ./cmd/lab exercise start 1b
//	go run ./cmd/lab up
//	go run ./cmd/lab kubectl get nodes
//
// It holds no chapter, so that it starts at once after an edit of one: the
// commands that need them are a program of its own, the folder cluster.
//
// A command, or a group of them, has a file by its name: another one is another
// file, with a line in newRoot. Package program has what lab shares with cluster.
package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
)

func main() { program.Main(newRoot()) }

func newRoot() *cobra.Command {
	where := program.AsCalled("The script of this folder runs it: go run ./cmd/lab")
	if byHand == inTheBook {
		where = `Run it from any folder of the book: go run ./cmd/lab at its root, or
go run reconcile/cmd/lab everywhere else in it.`
	}
	root := &cobra.Command{
		Use:   "lab",
		Short: "Work through the book",
		Long: `Lab hands out the exercises of the book and keeps your progress, and runs the
book's control plane for kubectl to drive.

` + where,
		Args: known,
		RunE: showHelp,
	}
	root.AddCommand(newExerciseCommand())
	root.AddCommand(newMachineCommands()...)
	return root
}

func showHelp(command *cobra.Command, _ []string) error { return command.Help() }

// known refuses a word that is none of a group's commands, and names those that are
// spelt like it or, without any, the way to all.
func known(command *cobra.Command, words []string) error {
	err := cobra.NoArgs(command, words)
	if err == nil {
		return nil
	}
	command.SuggestionsMinimumDistance = 2
	if like := command.SuggestionsFor(words[0]); len(like) > 0 {
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(like, " or "))
	}
	return fmt.Errorf("%w; --help lists those there are", err)
}
