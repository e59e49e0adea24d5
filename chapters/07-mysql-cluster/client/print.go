package client

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/width"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// print writes rows in the form that the options ask for.
func (o *options) print(w io.Writer, r *sql.Result) {
	switch {
	case len(r.Rows) == 0:
	case o.vertical:
		o.printVertically(w, r)
	case o.table:
		o.printTable(w, r)
	default:
		o.printTabs(w, r)
	}
}

// printTabs prints for programs: what could be taken for the end of a value is
// escaped.
func (o *options) printTabs(w io.Writer, r *sql.Result) {
	var b strings.Builder
	if !o.noNames && o.silent < 2 {
		b.WriteString(strings.Join(r.Columns, "\t") + "\n")
	}
	for _, row := range r.Rows {
		for i, v := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			s := sql.Text(v)
			if !o.raw {
				s = tabEscaper.Replace(s)
			}
			b.WriteString(s)
		}
		b.WriteByte('\n')
	}
	io.WriteString(w, b.String())
}

var tabEscaper = strings.NewReplacer(
	"\x00", `\0`, "\t", `\t`, "\n", `\n`, `\`, `\\`)

// printTable prints for people. Numbers stand at the right. A column is as wide
// as its widest value has bytes, which for Chinese is more than it needs: so it
// is in MySQL's own.
func (o *options) printTable(w io.Writer, r *sql.Result) {
	widths := make([]int, len(r.Columns))
	for i, name := range r.Columns {
		if !o.noNames {
			widths[i] = len(name)
		}
		if r.CanBeNull(i) {
			widths[i] = max(widths[i], len("NULL"))
		}
		for _, row := range r.Rows {
			widths[i] = max(widths[i], len(sql.Text(row[i])))
		}
	}
	rule := ""
	for _, width := range widths {
		rule += "+" + strings.Repeat("-", width+2)
	}
	rule += "+\n"
	io.WriteString(w, rule)
	if !o.noNames {
		for i, name := range r.Columns {
			fmt.Fprintf(w, "| %s%s ", name, blank(widths[i]-cells(name)))
		}
		io.WriteString(w, "|\n"+rule)
	}
	for _, row := range r.Rows {
		for i, v := range row {
			left, right := "", blank(widths[i]-cells(sql.Text(v)))
			if wire.IsNumber(r, i) {
				left, right = right, ""
			}
			fmt.Fprintf(w, "| %s%s%s ", left, sql.Text(v), right)
		}
		io.WriteString(w, "|\n")
	}
	io.WriteString(w, rule)
}

// cells returns how many places a string takes on a screen: Chinese characters
// take two each.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n++
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n++
		}
	}
	return n
}

func blank(n int) string { return strings.Repeat(" ", n) }

// printVertically prints rows that are wider than a screen.
func (o *options) printVertically(w io.Writer, r *sql.Result) {
	widest := 0
	for _, name := range r.Columns {
		widest = max(widest, len(name))
	}
	stars := strings.Repeat("*", 27)
	for n, row := range r.Rows {
		fmt.Fprintf(w, "%s %d. row %s\n", stars, n+1, stars)
		for i, name := range r.Columns {
			if !o.noNames {
				io.WriteString(w, blank(widest-len(name))+name+": ")
			}
			fmt.Fprintln(w, sql.Text(row[i]))
		}
	}
}

// inWords returns what the client says after a statement to a person.
func inWords(r *sql.Result) string {
	s := ""
	switch n := len(r.Rows); {
	case r.Columns != nil && n == 0:
		s = "Empty set"
	case r.Columns != nil:
		s = counted(uint64(n), "row") + " in set"
	default:
		s = "Query OK, " + counted(r.Affected, "row") + " affected"
	}
	if n := len(r.Warnings); n > 0 {
		s += ", " + counted(uint64(n), "warning")
	}
	return s
}

func counted(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
