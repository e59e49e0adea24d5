package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
)

func newListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the exercises, with the time that each takes",
		Example: examples("list"),
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return table(command, "EXERCISE\tTITLE\tKIND\tMINUTES\tFUNCTIONS", func(line workspace.Line) string {
				var names []string
				if line.Exercise.Kind != exercise.Debug { // which one it is in, is to be found out
					names = functions(line.Exercise)
				}
				return fmt.Sprintf("%s\t%d\t%s", line.Exercise.Kind, line.Exercise.Minutes, strings.Join(names, ", "))
			})
		},
	}
}

func newStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show how far you are with each exercise",
		Long: `Show how far you are with each exercise: untouched, started, passing, or
peeked when you looked at the solution first. An attempt is a run of the tests
on functions that are yours.`,
		Example: examples("status"),
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return table(command, "EXERCISE\tTITLE\tSTATE\tATTEMPTS\tHINTS\tLAST RESULT", func(line workspace.Line) string {
				return fmt.Sprintf("%s\t%d\t%d\t%s", line.State(), line.Attempts, line.Hints, line.Last)
			})
		},
	}
}

// table prints a row for each exercise that begins with its number and title.
func table(command *cobra.Command, header string, rest func(workspace.Line) string) error {
	w, err := open(command)
	if err != nil {
		return err
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		fmt.Fprintln(command.OutOrStdout(), "There are no exercises yet.")
		return nil
	}
	var text bytes.Buffer
	columns := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	fmt.Fprintln(columns, header)
	for _, line := range lines {
		fmt.Fprintf(columns, "%s\t%s\t%s\n", line.Exercise.Number, line.Exercise.Title, rest(line))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&text, "\n%s\n", progress(lines))
	_, err = command.OutOrStdout().Write(lineEnd.ReplaceAll(text.Bytes(), nil))
	return err
}

// progress is how far one is, in a line.
func progress(lines []workspace.Line) string {
	passed, minutes := 0, 0
	var open []string
	for _, line := range lines {
		switch {
		case line.Done():
			passed++
			continue
		case line.IsStarted():
			open = append(open, line.Exercise.Number)
		}
		minutes += line.Exercise.Minutes
	}
	if passed == len(lines) {
		return fmt.Sprintf("All %d passed.", passed)
	}
	text := fmt.Sprintf("%d of %d passed, about %s left", passed, len(lines), hours(minutes))
	if len(open) > 0 {
		text += "; open: " + enumerate(open)
	}
	return text + "."
}

func hours(minutes int) string {
	if minutes < 90 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(minutes)/60), ".0") + " hours"
}

// lineEnd matches the space that an empty last column leaves.
var lineEnd = regexp.MustCompile(`(?m) +$`)
