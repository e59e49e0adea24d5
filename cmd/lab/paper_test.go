package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
)

func TestProseIsFilledAndCodeIsNot(t *testing.T) {
	const text = "One [two](a.go#b) three four five\nsix.\n\n- a list of some words\n- b\n\n```go\nfunc aLongName(withArguments int)\n\n// more\n```\n"
	const code = "      func aLongName(withArguments int)\n\n      // more\n"
	for columns, printed := range map[int]string{
		0:  "  One two three four five six.\n\n  - a list of some words\n  - b\n\n" + code,
		20: "  One two three four\n  five six.\n\n  - a list of some\n    words\n  - b\n\n" + code,
	} {
		var out strings.Builder
		paper{&out, columns}.prose(text)
		assert.Equal(t, printed, out.String())
	}
}

func TestATableHasColumnsAndIsNoWiderThanTheTerminal(t *testing.T) {
	const text = "Whose?\n\n| Pod | whose it is |\n|---|---|\n| web | a [ReplicaSet](r.md)'s, and on some days |\n| stray-1 | |\n\nSo."
	for columns, printed := range map[int]string{
		0:  "  Whose?\n\n  Pod       whose it is\n  -------   --------------------------------\n  web       a ReplicaSet's, and on some days\n  stray-1\n\n  So.\n",
		32: "  Whose?\n\n  Pod       whose it is\n  -------   --------------------\n  web       a ReplicaSet's, and\n            on some days\n  stray-1\n\n  So.\n",
	} {
		var out strings.Builder
		paper{&out, columns}.prose(text)
		assert.Equal(t, printed, out.String())
	}
}

func TestACommandIsNotBroken(t *testing.T) {
	var out strings.Builder
	_, err := paper{&out, 40}.Write([]byte("To begin again: " + byHand + "reset 1b --file\n"))
	assert.NoError(t, err)
	assert.Equal(t, "To begin again:\n"+byHand+"reset 1b --file\n", out.String())
}

func TestTheListIsNoWiderThanTheTerminal(t *testing.T) {
	lines := []workspace.Line{{
		Exercise: &exercise.Exercise{Number: "1k", Title: "All of the new, then none of the old", Kind: exercise.Predict, Span: exercise.Span{Minutes: 40}, Difficulty: exercise.Medium},
		Record:   workspace.Record{Last: "does not build", Attempts: 12},
	}}
	for columns, header := range map[int]string{
		0:   "EXERCISE   TITLE                                  KIND      LEVEL    TIME                    STATE       ATTEMPTS   HINTS   LAST RESULT",
		120: "EXERCISE   TITLE                               KIND      LEVEL    TIME     STATE       ATTEMPTS   HINTS   LAST RESULT",
		80:  "EXERCISE   TITLE                    LEVEL    TIME     STATE       LAST RESULT",
		60:  "EXERCISE   TITLE                  STATE       LAST RESULT",
		40:  "EXERCISE   TITLE               STATE",
	} {
		rows := strings.Split(table(lines, columns), "\n")
		assert.Equal(t, header, rows[0])
		for _, row := range rows[:2] {
			assert.True(t, columns == 0 || utf8.RuneCountInString(row) <= columns, row)
		}
	}
}
