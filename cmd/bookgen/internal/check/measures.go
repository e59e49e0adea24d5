package check

import (
	"fmt"
	"io"
	"text/tabwriter"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/source"
)

// proportionsHold says whether a chapter that is over its proportions is an
// error. While some are, they are printed instead.
const proportionsHold = false

// checkMeasures reports parts and chapters that are over their measure.
func checkMeasures(edition *build.Edition) error {
	var errs []error
	for _, m := range edition.Measures {
		errs = append(errs, m.Over...)
	}
	if proportionsHold {
		errs = append(errs, disproportions(edition)...)
	}
	return source.Join(errs...)
}

func disproportions(edition *build.Edition) []error {
	var errs []error
	for _, p := range edition.Proportions {
		errs = append(errs, p.Over...)
	}
	return errs
}

// writeMeasures prints what each part holds and each chapter shows, and any
// remarks on them.
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
	if !proportionsHold {
		for _, over := range disproportions(edition) {
			fmt.Fprintf(out, "over its measure: %v\n", over)
		}
	}
	return nil
}
