package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/workspace"
)

func TestProseIsFilledOnATerminalAndCodeIsNot(t *testing.T) {
	const text = "One two three four five\nsix.\n\n- a list of some words\n- b\n\n```go\nfunc aLongName(withArguments int)\n// more\n```\n"
	for columns, printed := range map[int]string{
		0:  indented(text),
		20: "  One two three four\n  five six.\n\n  - a list of some\n    words\n  - b\n\n  ```go\n  func aLongName(withArguments int)\n  // more\n  ```\n",
	} {
		var out strings.Builder
		paper{&out, columns}.prose(text)
		assert.Equal(t, printed, out.String())
	}
}

func TestACommandIsNotBroken(t *testing.T) {
	var out strings.Builder
	_, err := paper{&out, 40}.Write([]byte("To begin again: " + byHand + "reset 1.1 --file\n"))
	assert.NoError(t, err)
	assert.Equal(t, "To begin again:\n"+byHand+"reset 1.1 --file\n", out.String())
}

func TestTheListIsNoWiderThanTheTerminal(t *testing.T) {
	lines := []workspace.Line{{
		Exercise: &exercise.Exercise{Number: "1.10", Title: "All of the new, then none of the old", Kind: exercise.Predict, Span: exercise.Span{Minutes: 40}},
		Record:   workspace.Record{Last: "does not build", Attempts: 12},
	}}
	for columns, header := range map[int]string{
		0:   "EXERCISE   TITLE                                  KIND      TIME                    STATE       ATTEMPTS   HINTS   LAST RESULT",
		120: "EXERCISE   TITLE                                  KIND      TIME     STATE       ATTEMPTS   HINTS   LAST RESULT",
		80:  "EXERCISE   TITLE                  TIME     STATE       ATTEMPTS   LAST RESULT",
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
