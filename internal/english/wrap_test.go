package english_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/english"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	for name, c := range map[string]struct{ text, wrapped string }{
		"fits to the column":          {"one two th\n", "one two th\n"},
		"one column too many":         {"one two thr\n", "one two\nthr\n"},
		"a space at the edge":         {"one two th ree\n", "one two th\nree\n"},
		"an indent":                   {"  one two three\n", "  one two\n  three\n"},
		"behind its mark":             {"  ✗ one two three\n", "  ✗ one\n    two\n    three\n"},
		"a list":                      {"- one two three\n1. one two\n", "- one two\n  three\n1. one two\n"},
		"runes, not bytes":            {"„one“ … “ü”\n", "„one“ …\n“ü”\n"},
		"a word that is too wide":     {"a longer-than-that b\n", "a\nlonger-than-that\nb\n"},
		"several lines, and no end":   {"one\n\none two three", "one\n\none two\nthree"},
		"space that stands at an end": {"one two th   \n", "one two th   \n"},
	} {
		assert.Equal(t, c.wrapped, english.Wrap(c.text, 10), name)
	}
}
