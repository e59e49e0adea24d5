package board

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"text/tabwriter"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("board").Parse(pageText))

// Print writes the class for a terminal.
func (c Class) Print(to io.Writer) error {
	if c.Refused != "" {
		fmt.Fprintf(to, "%s\n\n", c.Refused)
	}
	out := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out, "EXERCISE\tSTARTED\tPASSED\tHINTS\tSTOPPED BY\tLOOKS LIKE")
	for _, e := range c.Exercises {
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%s\t%s\n", e.Number, e.Started, e.Passed, e.Hints, joined(e.StoppedBy), joined(e.LooksLike))
	}
	fmt.Fprintln(out, "\nWHO\tFLAG\tAT\tTRIES\tPASSED\tIDLE")
	for _, p := range c.People {
		idle := ""
		if p.Idle > 0 {
			idle = fmt.Sprintf("%d min", p.Idle)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%d\t%s\n", p.Name, p.Flag, p.At(), p.Tries, p.Passed, idle)
	}
	return out.Flush()
}

// At returns the exercise that somebody is at.
func (p Person) At() string {
	switch {
	case p.Now == "":
		return "not begun"
	case p.Done:
		return p.Now + " done"
	}
	return p.Now
}

// shown is how many tests a line has room for.
const shown = 2

func joined(counts []Count) string {
	var all []string
	for _, c := range counts[:min(len(counts), shown)] {
		all = append(all, c.String())
	}
	if more := len(counts) - shown; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}
