package build_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
)

// withCore composes the book that testdata/core.txtar makes, with some of it replaced.
func withCore(t *testing.T, replace ...string) *build.Edition {
	t.Helper()
	archive, err := os.ReadFile("testdata/core.txtar")
	require.NoError(t, err)
	edition, err := build.Compose(t.Context(), options(t, strings.NewReplacer(replace...).Replace(string(archive))))
	require.NoError(t, err)
	return edition
}

func TestAListingSaysWhichOfItsLinesAreOnWhichPage(t *testing.T) {
	listings := map[string]site.Listing{}
	edition := withCore(t)
	for _, l := range edition.Book.Chapters[0].Listings {
		listings[l.File] = l
	}
	loop := site.Use{Href: "01-loop/index.html#Loop", Label: "1 · Loop"}
	assert.Equal(t, []site.Place{{First: 1, Last: 6, Use: loop, Page: "1"}}, listings["loop.go"].Places)
	assert.Equal(t, []site.On{{Use: loop, Lines: "1–6"}}, listings["loop.go"].On)

	again := site.Use{Href: "01-loop/index.html", Label: "1 · Loop"} // given code has no id of its own on a page
	wire := listings["wire.go"]
	assert.True(t, wire.Leant)
	assert.Equal(t, []site.Place{{First: 3, Last: 4, Use: again, Page: "1"}}, wire.Places)

	page := string(edition.Files["01-loop/wire.go.html"])
	assert.Contains(t, page, `lines 3–4 on <a href="../01-loop/index.html">1 · Loop</a>`)
	assert.Equal(t, 1, strings.Count(page, `class="back"`))
	assert.Equal(t, 2, strings.Count(page, `class="line woven"`))
}

func TestAPageShowsCodeOfAnotherChapter(t *testing.T) {
	const later = `-- chapters/02-later/later.go --
package later
-- chapters/02-later/chapter.md --
---
number: 2
title: Later
core: [later.go]
parts: [in-kubernetes.md]
---
# Later

[later.go](later.go)

[the loop](../01-loop/loop.go#Loop)

[a handler](../01-loop/wire.go#handle)
`
	edition := withCore(t, "-- loop.go --\n", later+"-- loop.go --\n")
	body := edition.Book.Chapters[1].Parts[0].Body.String()
	assert.Contains(t, body, `<a class=file href=01-loop/loop.go.html#L3>loop.go</a> 3–6`)
	assert.Contains(t, body, `<a class=d href=01-loop/index.html#Loop>Loop</a>() {}`)
	assert.Equal(t, 4, edition.Measures[2].Code)
	for _, l := range edition.Book.Chapters[0].Listings {
		var pages []string
		for _, place := range l.Places {
			pages = append(pages, place.Label)
		}
		switch l.File {
		case "loop.go":
			assert.Equal(t, []string{"1 · Loop"}, pages, "it is the first chapter's own")
		case "wire.go":
			assert.Equal(t, []string{"1 · Loop", "2 · Later"}, pages)
		}
	}

	archive, err := os.ReadFile("testdata/core.txtar")
	require.NoError(t, err)
	_, err = build.Compose(t.Context(), options(t, strings.Replace(string(archive), "-- loop.go --\n",
		strings.Replace(later, "wire.go#handle", "exercises/1b.md", 1)+"-- loop.go --\n", 1)))
	assert.ErrorContains(t, err, "chapter.md:13: an exercise is shown in its chapter; in a sentence, link to it")
}

func TestThePaceOfAPageIsHeld(t *testing.T) {
	assert.Empty(t, withCore(t).Measures[1].Over, "a page that is looked into has any")
	text := "It goes round, and round, and round it goes, and that is all there is to it.\n\n"
	long := "// Loop goes round.\n" + strings.Repeat("// And round.\n", 25)
	edition := withCore(t,
		"See [the handler]", strings.Repeat(text, 30)+"See [the handler]",
		"// Loop goes round.\n", long)
	p := edition.Measures[0]
	assert.Equal(t, []int{17*30 + 3, 35, 28}, []int{p.Running, p.Code, p.Longest})
	require.Len(t, p.Over, 1)
	assert.ErrorContains(t, p.Over[0], `chapter.md:10: a listing of 28 lines: more than 25; if its length is the point, the form is "whole"`)
	assert.Equal(t, 32, edition.Cores[0].Lines)
}

func TestAProgramMayBeReadAsAWhole(t *testing.T) {
	long := "// Beat beats.\n" + strings.Repeat("// And beats.\n", 60)
	over := func(name string) error {
		edition := withCore(t, "package heart", "package "+name, "// Beat beats.\n", long)
		return errors.Join(edition.Measures[0].Over...)
	}
	assert.ErrorContains(t, over("heart"), "a listing of 62 lines: more than 45")
	assert.NotContains(t, over("main").Error(), "a listing of")
}

func TestAPageOfCodeAloneAndACoreThatIsTooLargeAreNamed(t *testing.T) {
	const limit = "-- chapters/book.md --\n---\ntitle: Small\ndescription: A book in a test.\nedition: 1\ndate: 2026-01-02\nchapters:\n" +
		"- slug: 01-loop\n  title: Loop\n  core: %\n---\nA book.\n-- loop.go --\n"
	edition := withCore(t, "-- loop.go --\n", strings.ReplaceAll(limit, "%", "6"))
	require.Len(t, edition.Measures[0].Over, 1)
	assert.ErrorContains(t, edition.Measures[0].Over[0], "chapter.md:8: 3333 lines of code for 1,000 words: more than 110")
	require.Len(t, edition.Cores[0].Over, 1)
	assert.ErrorContains(t, edition.Cores[0].Over[0], "chapter.md:1: core: 7 lines: book.md says at most 6")
	edition = withCore(t, "-- loop.go --\n", strings.ReplaceAll(limit, "%", "7"))
	assert.Empty(t, edition.Cores[0].Over)
}
