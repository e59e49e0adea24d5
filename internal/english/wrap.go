package english

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// begins matches a line's indent and mark, as far as the rest of a wrapped line
// is indented.
var begins = regexp.MustCompile(`^ *(?:[-*|✓✗…] |[0-9]+\. )?`)

// Wrap breaks the lines of a text at spaces, so that none is wider than columns
// unless a word is. The lines that it makes are indented as the broken one, and
// stand behind its mark if it has one: "- ", "✗ ", "| ", "1. ".
func Wrap(text string, columns int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		indent := utf8.RuneCountInString(begins.FindString(line))
		for {
			at := breakAt(line, indent, columns)
			if at < 0 {
				break
			}
			out.WriteString(strings.TrimRight(line[:at], " ") + "\n")
			line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
		}
		out.WriteString(line)
	}
	return out.String()
}

// breakAt returns the last space at which a line can end, or the first if all
// are too far right; -1 if the line isn't too wide, or has none behind its indent.
func breakAt(line string, indent, columns int) int {
	at, column := -1, 0
	for i, r := range strings.TrimRight(line, " \n") {
		if r == ' ' && column > indent {
			at = i
		}
		if column >= columns && at >= 0 {
			return at
		}
		column++
	}
	return -1
}
