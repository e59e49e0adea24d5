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
	for _, p := range edition.Proportions {
		errs = append(errs, p.Over...)
	}
	return source.Join(errs...)
}

// writeMeasures prints what each part holds, with advice, and what each chapter
// shows.
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
	fmt.Fprintln(table, "\nwoven\topen\tof 100\tfolded\tannex\tgiven\tpackages\t  chapter")
	for _, p := range edition.Proportions {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t  %s\n",
			p.Woven(), p.Open, p.Share(), p.Folded, p.Annex, p.Given, p.Packages, p.Chapter.Slug)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}
