package build_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/weave"
)

// measured weaves a chapter that shows its code.
func measured(t *testing.T, text string) weave.Measure {
	t.Helper()
	return mustCompose(t, options(t, "-- chapter.md --\n# Loop\n\n[loop.go](loop.go)\n\n"+text)).Measures[0]
}

func TestWhatIsFoldedDoesNotRun(t *testing.T) {
	m := measured(t, "So far.\n\n## A heading\n\n| a |\n|-|\n| b |\n\nWhy?\n:   It goes round.\n")
	assert.Equal(t, []int{11, 2, 3, 1}, []int{m.Words, m.Running, m.Code, m.Shown})
}

func TestTextHasSomethingToLookAt(t *testing.T) {
	const table = "| a |\n|-|\n| b |\n\n"
	talk := strings.Repeat("Compare what is with what should be.\n\n", 100)
	m := measured(t, talk+table+talk)
	assert.Empty(t, m.Over, "700 words, a table, 700 words")
	assert.Equal(t, 1, m.Shown)
	over := measured(t, talk+"- a list\n\n"+talk).Over
	require.Len(t, over, 1)
	assert.ErrorContains(t, over[0], "chapter.md:10: 1,402 words without a figure, a transcript, a table or a run, to line 410: more than 900")
}

func TestALongPageIsAdvised(t *testing.T) {
	talk := strings.Repeat("Compare what is with what should be.\n\n", 860)
	assert.Equal(t, "more than 6,000 words", measured(t, talk).Advice)
}
