package check

import (
	"fmt"
	"io"
	"text/tabwriter"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/source"
)

// mostShort is how many minutes the path of three hours may take.
const mostShort = 200

// checkMeasures reports what is over its measure.
func checkMeasures(edition *build.Edition) error {
	var errs []error
	for _, m := range edition.Measures {
		errs = append(errs, m.Over...)
	}
	for _, c := range edition.Cores {
		errs = append(errs, c.Over...)
	}
	if minutes := edition.Book.Short().Reading(); minutes > mostShort {
		errs = append(errs, fmt.Errorf("the path of three hours takes %d minutes: more than %d", minutes, mostShort))
	}
	return source.Join(errs...)
}

// writeMeasures prints what each part holds, with advice, what each chapter shows, and
// how long the short path is.
func writeMeasures(out io.Writer, edition *build.Edition) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "words\trunning\tcode of 1,000\toutput of 1,000\tlongest listing\tto look at\tpixels, about\t  part")
	for _, m := range edition.Measures {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t  %s",
			m.Words, m.Running, m.Per(m.Code), m.Per(m.Output), m.Longest, m.Shown, m.Height, m.Part.Slug)
		if m.Advice != "" {
			fmt.Fprintf(table, ": %s", m.Advice)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprintln(table, "\ncore\tof at most\tfiles\t  chapter")
	for _, c := range edition.Cores {
		fmt.Fprintf(table, "%d\t%d\t%d\t  %s\n", c.Lines, c.Most, c.Files, c.Chapter.Slug)
	}
	fmt.Fprintln(table, "\nminutes\t  of the short path")
	for _, c := range edition.Book.Chapters {
		fmt.Fprintf(table, "%d\t  %s\n", c.Short().Reading(), c.Slug)
	}
	fmt.Fprintf(table, "%d\t  in all, of at most %d\n", edition.Book.Short().Reading(), mostShort)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}
