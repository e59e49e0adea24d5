package english

import (
	"strings"
	"unicode"
)

// Printable returns text with spaces in place of what is not printed: a control
// character in it could move a terminal's cursor, or colour what follows.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
