package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconcile/internal/english"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
)

func newListCommand() *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "list",
		Short: "List the course, with the time that each exercise takes and how far you are",
		Long: `List the exercises of the course and those that you have begun besides, or all of
the book, with the time that each takes and how far you are: untouched, started,
passing, passed when only the last attempt failed, or peeked when you looked at the
solution first. An attempt is a run of the tests on functions that are yours.`,
		Example: examples("list", "list --all"),
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
			_, err = fmt.Fprint(out, overview(lines, w.OnTheWay(lines), all, out.columns))
			return err
		},
	}
	command.Flags().BoolVar(&all, "all", false, "list all exercises of the book")
	return command
}

// overview returns the course and what was begun besides, or all lines; and how far
// the reader is.
func overview(lines, way []workspace.Line, all bool, columns int) string {
	if len(lines) == 0 {
		return "There are no exercises yet.\n"
	}
	if len(way) == 0 || all {
		return table(lines, columns) + progress("of", lines)
	}
	onTheWay := func(line workspace.Line) bool {
		return slices.ContainsFunc(way, func(w workspace.Line) bool { return w.Exercise == line.Exercise })
	}
	besides := slices.DeleteFunc(slices.Clone(lines), func(line workspace.Line) bool {
		return onTheWay(line) || !line.IsStarted() && line.Attempts == 0 && !line.Peeked
	})
	text := table(way, columns) + progress("of the course's", way)
	if len(besides) > 0 {
		text += "\nBegun besides:\n\n" + table(besides, columns) + progress("of these", besides)
	}
	return text + fmt.Sprintf("\nAll %d of the book: %slist --all\n", len(lines), byHand)
}

// table returns a row for each exercise. On a terminal it is as wide as that.
func table(lines []workspace.Line, columns int) string {
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
	return lineEnd.ReplaceAllString(text.String(), "") + "\n"
}

func rowsOf(lines []workspace.Line, span func(exercise.Span) string) [][]string {
	rows := [][]string{{"EXERCISE", "TITLE", "KIND", "LEVEL", "TIME", "STATE", "ATTEMPTS", "HINTS", "LAST RESULT"}}
	for _, line := range lines {
		e := line.Exercise
		rows = append(rows, []string{
			e.Number, e.Title, string(e.Kind), string(e.Difficulty), span(e.Span), line.State(),
			strconv.Itoa(line.Attempts), strconv.Itoa(line.Hints), line.Last,
		})
	}
	return rows
}

// progress returns how far the reader is, in a line.
func progress(of string, lines []workspace.Line) string {
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
		return fmt.Sprintf("All %d passed.\n", passed)
	}
	text := fmt.Sprintf("%d %s %d passed, about %s left", passed, of, len(lines), hours(minutes))
	if len(open) > 0 {
		text += "; open: " + english.List(open)
	}
	return text + ".\n"
}

func hours(minutes int) string {
	if minutes < 90 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(minutes)/60), ".0") + " hours"
}

// lineEnd matches the space that an empty last column leaves.
var lineEnd = regexp.MustCompile(`(?m) +$`)
