package build_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/weave"
)

// function returns a declaration of six lines, one of them empty.
func function(i int) string {
	return fmt.Sprintf("\n// F%d is one of many.\nfunc F%d() int {\n\tn := %d\n\n\treturn n\n}\n", i, i, i)
}

// measured weaves a chapter and the file of 40 functions that it shows.
func measured(t *testing.T, text string) weave.Measure {
	t.Helper()
	code := "package loop\n"
	for i := range 40 {
		code += function(i)
	}
	archive := "-- chapter.md --\n# Loop\n\n" + text + "\n-- loop.go --\n" + code + "-- loop_test.go --\npackage loop\n"
	edition, err := build.Compose(context.Background(), options(t, archive))
	require.NoError(t, err)
	require.Len(t, edition.Measures, 1)
	return edition.Measures[0]
}

// show refers to functions of that file.
func show(first, last int, form string) string {
	var names []string
	for i := first; i <= last; i++ {
		names = append(names, fmt.Sprintf("F%d", i))
	}
	return fmt.Sprintf("[F](loop.go#%s%s)\n\n", strings.Join(names, ","), form)
}

func TestOpenAndFoldedLinesAreCounted(t *testing.T) {
	m := measured(t, show(0, 9, "")+"So far.\n\n"+show(10, 29, ` "folded"`)+"Why?\n:   "+show(30, 39, ""))
	assert.Equal(t, []int{10 * 5, 30 * 5}, []int{m.Open, m.Folded}, "five lines a function; those of an answer are folded")
	assert.Empty(t, m.Over)
}

func TestARunOfOpenCodeHasAnEnd(t *testing.T) {
	rest := "Then.\n\n" + show(24, 39, ` "folded"`)
	assert.Empty(t, measured(t, show(0, 11, "")+"A sentence.\n\n"+show(12, 23, "")+rest).Over, "60 lines, a sentence, 60 lines")
	over := measured(t, show(0, 11, "")+"## A heading is none\n\n"+show(12, 23, "")+rest).Over
	require.Len(t, over, 1)
	assert.ErrorContains(t, over[0], "chapter.md:8: 120 lines of open code without a sentence between them, to line 12: more than 60")
}

func TestTextHasSomethingToLookAt(t *testing.T) {
	const table = "| a |\n|-|\n| b |\n\n"
	talk := strings.Repeat("Compare what is with what should be.\n\n", 100)
	rest := show(0, 39, ` "folded"`)
	m := measured(t, rest+talk+table+talk)
	assert.Empty(t, m.Over, "700 words, a table, 700 words")
	assert.Equal(t, 1, m.Shown)
	over := measured(t, rest+talk+"- a list\n\n"+talk).Over
	require.Len(t, over, 1)
	assert.ErrorContains(t, over[0], "chapter.md:10: 1,402 words without a figure, a transcript, a table or a run, to line 410: more than 900")
}

func TestALongPageIsAdvised(t *testing.T) {
	talk := strings.Repeat("Compare what is with what should be.\n\n", 860)
	m := measured(t, show(0, 39, ` "folded"`)+talk)
	assert.Equal(t, "more than 6,000 words", m.Advice)
}
