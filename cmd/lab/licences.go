package main

import (
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/pages"
	"reconcile/internal/licences"
)

// programs are lab, what it becomes, and what makes the pages, by their folders:
// what is packed for a workshop.
var programs = []string{"cmd/lab", "cmd/lab/cluster", "cmd/bookgen"}

func newLicencesCommand() *cobra.Command {
	texts := false
	command := &cobra.Command{
		Use:     "licences",
		Aliases: []string{"licenses"},
		Short:   "List what others wrote of the book's programs, and under which licences",
		Long: `List what others wrote of lab, its cluster and bookgen, as they are compiled for
this system: Go's library and modules, and what lies in the book's folder with a
licence of its own, as fonts do. Each has a line with its version and its licence.

A lab that was packed for a workshop has the list in itself, for all systems that
it was packed for. Any other makes it anew, and needs Go.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			notices, err := noticesOfTheBook(command)
			if err != nil {
				return err
			}
			if !texts {
				notices = licences.TableOf(notices)
			}
			fmt.Fprint(command.OutOrStdout(), notices)
			return nil
		},
	}
	command.Flags().BoolVar(&texts, "text", false, "also print the licences, each once")
	return command
}

// noticesOfTheBook returns the notices that this program has in itself or, in the
// book's folder, those of the programs that are built there.
func noticesOfTheBook(command *cobra.Command) (string, error) {
	if files, ok := pages.FS(); ok {
		notices, err := fs.ReadFile(files, licences.NoticesFile)
		return string(notices), err
	}
	w, err := open(command)
	if err != nil {
		return "", err
	}
	all, err := licences.Programs{Root: w.Root(), Packages: programs}.WithTree(command.Context())
	return licences.Notices(all), err
}
