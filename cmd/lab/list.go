package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/words"
)

func newListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the exercises, with the time that each takes and how far you are",
		Long: `List the exercises, with the time that each takes and how far you are:
untouched, started, passing, or peeked when you looked at the solution first. An
attempt is a run of the tests on functions that are yours.`,
		Example: examples("list"),
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			lines, err := w.Overview(command.Context())
			if err != nil {
				return err
			}
			out := paperOf(command)
			_, err = fmt.Fprint(out, table(lines, out.columns))
			return err
		},
	}
}

// table returns a row for each exercise, and below them how far the reader is.
// On a terminal it is as wide as that.
func table(lines []workspace.Line, columns int) string {
	if len(lines) == 0 {
		return "There are no exercises yet.\n"
	}
	rows := rowsOf(lines, exercise.Span.String)
	if columns > 0 && total(widthsOf(rows)) > columns {
		rows = fit(rowsOf(lines, func(s exercise.Span) string { return fmt.Sprintf("%d min", s.Minutes) }), columns)
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, gap, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	table.Flush() // a strings.Builder takes every write
	fmt.Fprintf(&text, "\n%s\n", progress(lines))
	return lineEnd.ReplaceAllString(text.String(), "")
}

func rowsOf(lines []workspace.Line, span func(exercise.Span) string) [][]string {
	rows := [][]string{{"EXERCISE", "TITLE", "KIND", "TIME", "STATE", "ATTEMPTS", "HINTS", "LAST RESULT"}}
	for _, line := range lines {
		e := line.Exercise
		rows = append(rows, []string{
			e.Number, e.Title, string(e.Kind), span(e.Span), line.State(),
			strconv.Itoa(line.Attempts), strconv.Itoa(line.Hints), line.Last,
		})
	}
	return rows
}

// progress returns how far the reader is, in a line.
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
		text += "; open: " + words.List(open)
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
