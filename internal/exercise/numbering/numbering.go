// Package numbering says what exercises are called: chapter and letter, 1a to 7q. A page
// is called 1.4, and no exercise is.
package numbering

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

var (
	form   = regexp.MustCompile(`^([1-9][0-9]*)([a-z])$`)
	dotted = regexp.MustCompile(`^([1-9][0-9]*)\.(0|[1-9][0-9]*)$`)
)

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

// Of returns the number that a reader means, or a record: 1e for 1E, and for 1.4, as
// editions up to the third had it. Chapter 1 began with 1.0, the others with 2.1, 3.1
// and so on. A text that is neither is returned as it is.
func Of(said string) string {
	if lower := strings.ToLower(said); Is(lower) {
		return lower
	}
	parts := dotted.FindStringSubmatch(said)
	if parts == nil {
		return said
	}
	at, err := strconv.Atoi(parts[2])
	if parts[1] != "1" {
		at--
	}
	if err != nil || at < 0 || at > 'z'-'a' {
		return said
	}
	return parts[1] + string(rune('a'+at))
}
