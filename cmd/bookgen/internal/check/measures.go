package check

import (
	"fmt"
	"io"
	"text/tabwriter"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/source"
)

// checkMeasures reports what is over its measure.
func checkMeasures(edition *build.Edition) error {
	var errs []error
	for _, m := range edition.Measures {
		errs = append(errs, m.Over...)
	}
	return source.Join(errs...)
}

// writeMeasures prints what each part holds, and what else is to be said of it.
func writeMeasures(out io.Writer, edition *build.Edition) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "words\topen lines\tfolded\tto look at\t  part")
	for _, m := range edition.Measures {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t  %s", m.Words, m.Open, m.Folded, m.Shown, m.Part.Slug)
		if m.Advice != "" {
			fmt.Fprintf(table, ": %s", m.Advice)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
