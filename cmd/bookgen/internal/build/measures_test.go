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
	assert.Equal(t, edition.Measures[0].Folded, edition.Book.Chapters[0].Parts[0].Folded, "the page names them")
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

func TestWhatIsReadOfAChapterIsCounted(t *testing.T) {
	edition := rooms(t)
	p := edition.Proportions[0]
	assert.Equal(t, []int{19, 15, 4, 0}, []int{p.Woven(), p.Open, p.Folded, p.Annex})
	assert.Equal(t, []int{4, 1}, []int{p.Given, p.Packages})
	assert.Equal(t, []int{78, 100}, []int{p.Share(), edition.Proportions[1].Share()})
	assert.Empty(t, p.Over)
	assert.Equal(t, p.Woven()+edition.Proportions[1].Woven(), edition.Counts.Lines, "every line is open, folded, or in the annex")
	assert.Equal(t, 4, edition.Counts.Given)
}

func TestAChapterIsThereToBeRead(t *testing.T) {
	code := func(file string, functions int) string {
		text := "-- " + file + " --\npackage loop\n"
		for i := range functions {
			text += strings.ReplaceAll(function(i), "F", strings.ToUpper(file[:1]))
		}
		return text
	}
	edition, err := build.Compose(context.Background(), options(t, `
-- chapter.md --
---
number: 1
title: Loop
summary: Round.
parts: [annex.md, annex-more.md]
---
# Loop

[a](a.go "folded")

[b](b.go "folded")

[loop.go](loop.go)
-- annex.md --
---
title: Plumbing
summary: What is left.
---
# Plumbing

[c](c.go "folded")

[d](d.go)
-- annex-more.md --
---
title: More
summary: What is left of that.
---
# More

[e](e.go)
`+code("a.go", 24)+code("b.go", 23)+code("c.go", 100)+code("d.go", 160)+code("e.go", 10)))
	require.NoError(t, err)
	p := edition.Proportions[0]
	assert.Equal(t, []int{3, 237, 1353}, []int{p.Open, p.Folded, p.Annex})
	var over []string
	for _, err := range p.Over {
		_, problem, _ := strings.Cut(err.Error(), "01-loop/")
		over = append(over, problem)
	}
	assert.Equal(t, []string{
		"chapter.md:9: 121 lines in one fold: more than 120",
		"annex.md:5: 1,302 lines in the annex: more than 1,300",
		"chapter.md:1: 0 of 100 of its 1,593 lines stand open: fewer than 45",
	}, over)
}

func TestALongPageIsAdvised(t *testing.T) {
	talk := strings.Repeat("Compare what is with what should be.\n\n", 860)
	m := measured(t, show(0, 39, ` "folded"`)+talk)
	assert.Equal(t, "more than 6,000 words", m.Advice)
}
