package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconcile/internal/words"
	"reconcile/internal/workshop/pack"
)

func newWorkshopCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "workshop",
		Short: "Teach with the book",
		Args:  cobra.NoArgs,
		RunE:  showHelp,
	}
	group.AddCommand(newPackCommand(), newBoardCommand(), newTimingsCommand())
	return group
}

func newPackCommand() *cobra.Command {
	var systems []string
	folder := ""
	command := &cobra.Command{
		Use:   "pack",
		Short: "Put the book into a folder that needs no network",
		Long: `Put the book into a folder that needs no network: its source with all modules,
lab and bookgen for each system, the pages, a script to begin with, and the licences
of all that others wrote of it. Copy it to a stick or a share. On a participant's machine there has to be Go, for the
exercises; to read, nothing.

It needs the network if a module, or a part of Go's library for another system, is
not on this machine yet.`,
		Example: "  go run ./cmd/lab workshop pack --for windows,darwin,linux -o ../usb\n  (cd ../usb && ./start.sh test 1.1)",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			o, err := packOptions(command, folder, systems)
			if err != nil {
				return err
			}
			report, err := pack.Pack(command.Context(), o)
			if err != nil {
				return err
			}
			fmt.Fprintf(command.OutOrStdout(), "%s: %s\n", folder, report)
			return nil
		},
	}
	command.Flags().StringSliceVar(&systems, "for", []string{"windows", "darwin", "linux"}, "systems")
	command.Flags().StringVarP(&folder, "output", "o", "", "the folder to make")
	_ = command.MarkFlagRequired("output") // it is there
	return command
}

// packOptions refuses a copy of the book with exercises in it that are open:
// twenty people would get one reader's work.
func packOptions(command *cobra.Command, folder string, names []string) (pack.Options, error) {
	systems, err := pack.Systems(names)
	if err != nil {
		return pack.Options{}, err
	}
	w, err := openToBuild(command)
	if err != nil {
		return pack.Options{}, err
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return pack.Options{}, err
	}
	var started []string
	for _, line := range lines {
		if line.IsStarted() {
			started = append(started, line.Exercise.Number)
		}
	}
	if len(started) > 0 {
		return pack.Options{}, fmt.Errorf("exercises are started in this copy of the book, and would be packed: %s; %sreset --all puts the book's version back",
			words.List(started), byHand)
	}
	return pack.Options{
		Root: w.Root(), Folder: folder, Systems: systems,
		Programs: programs,
		Pages:    publish, PagesFile: "cmd/lab/pages/pages.zip",
		Tell: command.OutOrStdout(),
	}, nil
}

// publish makes the whole site, as the book's own tool does.
func publish(ctx context.Context, root string) (folder string, err error) {
	command := exec.CommandContext(ctx, "go", "run", "./cmd/bookgen", "publish")
	command.Dir = root
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	out, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("bookgen publish: %w\n%s", err, out)
	}
	return filepath.Join(root, "public"), nil
}
