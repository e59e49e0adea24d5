package licences

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// NoticesFile is the name of a file that goes with a program to people who have
// neither its source nor Go.
const NoticesFile = "THIRD-PARTY-NOTICES.txt"

const (
	head = "What others wrote of this, and the licences they gave it away under. The texts follow.\n" +
		"The source of a Go module is at https://pkg.go.dev/MODULE@VERSION.\n\n"
	divider = "\n========================================================================\n"
)

// Table returns a line for each part: its name, version and licence.
func Table(all []Part) string {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, p := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Version, p.SPDX)
	}
	_ = w.Flush() // a strings.Builder does not fail
	return table.String()
}

// Notices returns the table, and behind it each text, once, below the names of the
// parts that it is of.
func Notices(all []Part) string {
	var texts []string
	of := map[string][]string{}
	for _, p := range all {
		for _, text := range p.Texts {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], strings.TrimSpace(p.Name+" "+p.Version))
		}
	}
	var notices strings.Builder
	notices.WriteString(head + Table(all))
	for _, text := range texts {
		fmt.Fprintf(&notices, "%s%s\n\n%s\n", divider, strings.Join(of[text], "\n"), text)
	}
	return notices.String()
}

// TableOf returns the table of notices.
func TableOf(notices string) string {
	table, _, _ := strings.Cut(strings.TrimPrefix(notices, head), divider)
	return table
}
