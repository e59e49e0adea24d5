package board

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"reconcile/internal/exercise/numbering"
)

// Timing is how long an exercise took the people who passed it without a look at
// the answer.
type Timing struct {
	Number      string
	Book        int // what it says, in minutes
	Median, P80 float64
	People      int
}

// Timings returns the timings from reports, in the order of the exercises. An
// exercise that nobody has passed is not among them.
func Timings(reports []Report, book map[string]int) []Timing {
	took := map[string][]float64{}
	for _, r := range reports {
		for _, l := range r.Exercises {
			if l.Passed && !l.Peeked && l.Minutes > 0 {
				took[l.Number] = append(took[l.Number], l.Minutes)
			}
		}
	}
	var all []Timing
	for _, number := range slices.SortedFunc(maps.Keys(took), numbering.Compare) {
		minutes := took[number]
		slices.Sort(minutes)
		all = append(all, Timing{
			Number: number, Book: book[number], People: len(minutes),
			Median: quantile(minutes, 0.5), P80: quantile(minutes, 0.8),
		})
	}
	return all
}

// quantile returns the value below which that part of them lies, between two by
// their distance.
func quantile(sorted []float64, part float64) float64 {
	at := part * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// PrintTimings writes a line for each, with what to write into the exercise's
// file.
func PrintTimings(to io.Writer, timings []Timing) error {
	out := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out, "EXERCISE\tBOOK\tMEDIAN\t80 %\tPEOPLE\tFRONT MATTER")
	for _, t := range timings {
		fmt.Fprintf(out, "%s\t%d\t%.0f\t%.0f\t%d\tminutes: {median: %.0f, people: %d}\n",
			t.Number, t.Book, t.Median, t.P80, t.People, max(1, t.Median), t.People)
	}
	return out.Flush()
}
