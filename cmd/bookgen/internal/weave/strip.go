package weave

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What a run printed is shown on a strip. A strip has room for stripColumns; one
// with longer lines is wide, and takes the margin where there is one. On a phone
// there are phoneColumns: a line beyond them is an element of its own, so that
// what does not fit goes on below it, set in.
const (
	stripColumns = 84
	phoneColumns = 32
	deepest      = 48 // a line that goes on has half a strip at least
)

// stripClass says which of the strips these lines are on.
func stripClass(lines []string) string {
	for _, line := range lines {
		if utf8.RuneCountInString(line) > stripColumns {
			return " wide"
		}
	}
	return ""
}

// printedLine is a line that was printed, with its end. Where it goes on below
// itself it goes on in its last column, as a table's cell does.
func printedLine(line string) string {
	if utf8.RuneCountInString(line) <= phoneColumns {
		return escaped(line) + "\n"
	}
	return fmt.Sprintf("<span class=l%s>%s\n</span>", hang(line), escaped(line))
}

// hang is the column that the rest of a line stands at, if it is no usual one.
func hang(line string) string {
	column := len(line) - len(strings.TrimLeft(line, " ")) + 2
	if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap >= 0 {
		if last := utf8.RuneCountInString(line[:gap+2]); last <= deepest {
			column = max(column, last)
		}
	}
	if column == 2 {
		return ""
	}
	return fmt.Sprintf(" style=--c:%d", column)
}
