// Package numbering says what exercises are called: chapter and letter, 1a to 7q. A page
// is called 1.4, and no exercise is.
package numbering

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

var form = regexp.MustCompile(`^([1-9][0-9]*)([a-z])$`)

// Is reports whether a text has the form of an exercise's number.
func Is(text string) bool { return form.MatchString(text) }

// Chapter returns the chapter of an exercise; 0 of a text that is no number.
func Chapter(number string) int {
	parts := form.FindStringSubmatch(number)
	if parts == nil {
		return 0
	}
	chapter, _ := strconv.Atoi(parts[1]) // digits
	return chapter
}

// Compare orders numbers, as cmp.Compare does: 2b comes before 10a.
func Compare(a, b string) int {
	return cmp.Or(cmp.Compare(Chapter(a), Chapter(b)), strings.Compare(a, b))
}
