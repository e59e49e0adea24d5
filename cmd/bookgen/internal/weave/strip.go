package weave

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// Output is printed on a strip. A strip has room for stripColumns; one with
// longer lines is wide, and takes the margin if the page has one, as a manifest
// does, which nobody may break for the sake of a page. On a phone it
// has phoneColumns: the rest of a longer line is an element of its own, which
// goes on below the line, set in.
const (
	stripColumns = 84
	phoneColumns = 32
	deepest      = 48 // a line's continuation has half a strip at least
)

// stripClass returns the class of the strip that these lines are printed on.
func stripClass(lines []string) string {
	if slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > stripColumns }) {
		return " wide"
	}
	return ""
}

// printedLine returns a line of output, with its end. If it goes on below
// itself, it does so in its last column, as a table's cell does.
func printedLine(line string) *html.Node {
	if utf8.RuneCountInString(line) <= phoneColumns {
		return node.Text(line + "\n")
	}
	style := ""
	if column := hang(line); column != 2 { // the usual one
		style = fmt.Sprint("--c:", column)
	}
	return node.New("span", node.Class("l"), node.Attr("style", style), line+"\n")
}

// hang returns the column at which the rest of a line stands.
func hang(line string) int {
	column := len(line) - len(strings.TrimLeft(line, " ")) + 2
	if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap >= 0 {
		if last := utf8.RuneCountInString(line[:gap+2]); last <= deepest {
			column = max(column, last)
		}
	}
	return column
}
