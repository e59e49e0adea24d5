package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconcile/internal/english"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/workshop/course"
)

func newCheckpointCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "checkpoint [COURSE:SESSION]",
		Short: "Begin a session of a course as if all before it were done",
		Long: `Begin a session of a course, wherever you were: the exercises of its earlier
sessions have the book's version, and those of this one are started. What you had
written is kept under .reconcile/kept, what you have passed stays passed, and an
exercise of this session that you have begun stays as it is.

Without a name it lists the checkpoints.`,
		Example: examples("checkpoint", "checkpoint day:3"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			all, err := checkpoints(w)
			if err != nil {
				return err
			}
			if len(arguments) == 0 {
				_, err := fmt.Fprint(paperOf(command), listed(all))
				return err
			}
			at := slices.IndexFunc(all, func(c course.Checkpoint) bool { return c.Name == arguments[0] })
			if at < 0 {
				return fmt.Errorf("there is no checkpoint %q; there are\n\n%s", arguments[0], strings.TrimRight(indented(listed(all)), "\n"))
			}
			return startCheckpoint(command, w, all[at])
		},
	}
}

// checkpoints returns those of all courses.
func checkpoints(w *workspace.Workspace) ([]course.Checkpoint, error) {
	courses, _, err := course.Load(filepath.Join(w.Root(), course.Folder))
	var all []course.Checkpoint
	for _, c := range courses {
		all = append(all, c.Checkpoints()...)
	}
	return all, err
}

// listed returns a line for each checkpoint.
func listed(all []course.Checkpoint) string {
	if len(all) == 0 {
		return "This book has no courses.\n"
	}
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	fmt.Fprintln(columns, "CHECKPOINT\tSESSION\tSTARTS")
	for _, c := range all {
		fmt.Fprintf(columns, "%s\t%s\t%s\n", c.Name, c.Session.Title, english.List(c.Begins))
	}
	columns.Flush() // a strings.Builder takes every write
	return lineEnd.ReplaceAllString(text.String(), "")
}

func startCheckpoint(command *cobra.Command, w *workspace.Workspace, c course.Checkpoint) error {
	done, err := w.Checkpoint(command.Context(), strings.ReplaceAll(c.Name, ":", "-"), c.Before, c.Begins)
	if err != nil {
		return err
	}
	out := paperOf(command)
	fmt.Fprintf(out, "%s · %s\n", c.Name, c.Session.Title)
	if len(c.Before) > 0 {
		fmt.Fprintf(out, "The book's version: %s\n", english.List(c.Before))
	}
	tellBack(command, done.Back)
	for _, started := range done.Started {
		started.Kept = "" // it was said for all of them
		fmt.Fprintln(out)
		tellStart(command, w, started)
	}
	if len(done.Started) == 0 {
		fmt.Fprintln(out, "Nothing is to be written in this session.")
	}
	reportAgain(command, w)
	return nil
}
