package book_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

func write(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, file.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o644))
	}
	return dir
}

const small = `
-- book.md --
---
title: Small
description: A book in a test.
edition: 1
date: 2026-01-02
chapters:
- slug: 01-one
  title: One
- slug: 02-two
  title: Two
  summary: Not yet.
---
Begin.
-- 01-one/chapter.md --
---
number: 1
title: One
summary: The first one.
core: [one.go]
parts: [in-kubernetes.md]
---
# One

Text with [a link](one.go#One).[^n]

[^n]: In the margin.

## Section's end

[two.go](two.go)
-- 01-one/in-kubernetes.md --
---
title: One in Kubernetes
summary: The same.
---
# One in Kubernetes
`

func TestLoadListsWhatIsNotWrittenYet(t *testing.T) {
	b, err := book.Load(write(t, small))
	require.NoError(t, err)
	require.Len(t, b.Chapters, 2)
	assert.True(t, b.Chapters[0].Written)
	assert.Equal(t, "The first one.", b.Chapters[0].Summary)
	assert.False(t, b.Chapters[1].Written)
	assert.Equal(t, "Not yet.", b.Chapters[1].Summary)
}

// Edition and date are those that the changelog has at its head.
func TestTheBookIsTheNewestEditionOfTheChangelog(t *testing.T) {
	const root = "../../../../"
	b, err := book.Load(root + "chapters")
	require.NoError(t, err)
	changes, err := os.ReadFile(root + "CHANGELOG.md")
	require.NoError(t, err)
	_, newest, _ := strings.Cut(string(changes), "\n## ")
	newest, _, _ = strings.Cut(newest, "\n")
	assert.Equal(t, newest, b.Edition)
}

func TestEditionsAreThoseOfTheChangelogThatBeginsWithThisOne(t *testing.T) {
	dir := write(t, small)
	b, err := book.Load(dir)
	require.NoError(t, err)
	this := book.Edition{Name: "Edition 1, 2 January 2026", Day: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	assert.Equal(t, []book.Edition{this}, b.Editions, "there is no changelog")

	before := "## Draft, 30 November to 1 December 2025\n\n- *Slow*.\n"
	changes := filepath.Join(filepath.Dir(dir), "CHANGELOG.md")
	require.NoError(t, os.WriteFile(changes, []byte("# Changes\n\nAll.\n\n## "+this.Name+"\n\nNew.\n\n### More\n\n"+before), 0o644))
	b, err = book.Load(dir)
	require.NoError(t, err)
	this.Changes = "<p>New.</p>\n<h3>More</h3>\n"
	draft := book.Edition{
		Name: "Draft, 30 November to 1 December 2025", Day: time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC),
		Changes: "<ul>\n<li><em>Slow</em>.</li>\n</ul>\n",
	}
	assert.Equal(t, []book.Edition{this, draft}, b.Editions)

	require.NoError(t, os.WriteFile(changes, []byte("# Changes\n\n"+before), 0o644))
	b, err = book.Load(dir)
	require.NoError(t, err)
	assert.Len(t, b.Editions, 1, "the changelog begins with another edition")
	assert.Equal(t, this.Name, b.Editions[0].Name)

	require.NoError(t, os.WriteFile(changes, []byte("\n## Edition 1, 31 Juny 2026\n"), 0o644))
	_, err = book.Load(dir)
	assert.ErrorContains(t, err, "CHANGELOG.md:1: Edition 1, 31 Juny 2026: ")
}

func TestHeadingsAndReferencesKnowTheirLines(t *testing.T) {
	b, err := book.Load(write(t, small))
	require.NoError(t, err)
	doc := b.Chapters[0].Parts[0].Document
	assert.Equal(t, []book.Heading{
		{Level: 1, ID: "one", Title: "One", Line: 8},
		{Level: 2, ID: "sections-end", Title: "Section’s end", Line: 14},
	}, doc.Headings)
	refs := doc.References()
	require.Len(t, refs, 2)
	assert.Equal(t, []any{10, "one.go", "One", false}, []any{refs[0].Line, refs[0].Path, refs[0].Fragment, refs[0].Alone})
	assert.Equal(t, []any{16, "two.go", "", true}, []any{refs[1].Line, refs[1].Path, refs[1].Fragment, refs[1].Alone})
}

func TestAPageBesideTheChaptersBorrowsExercises(t *testing.T) {
	b, err := book.Load(write(t, strings.Replace(small, "chapters:\n", "pages: [more.md]\nchapters:\n", 1)+`
-- more.md --
---
title: More
summary: What came later.
---
[Two](01-one/exercises/1c.md)

Not [one](01-one/exercises/1b.md), which is in a sentence.
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]*book.Page{"1c": b.Beside[0]}, b.Chapters[0].Lent)
	assert.Empty(t, b.Chapters[1].Lent)
}

// A path stands behind a title, and is no part of it nor of its id.
func TestAHeadingSaysWhichPathItIsOn(t *testing.T) {
	archive := strings.NewReplacer(
		"# One\n\nText", "# One\n\n## Section's end {path=\"short\"}\n\n### Deep {path=short}\n\nText",
		"## Section's end", "## {braces} stay",
		"summary: The first one.", "summary: The first one.\npath: short",
	).Replace(small)
	b, err := book.Load(write(t, archive))
	require.NoError(t, err)
	assert.Equal(t, []book.Heading{
		{Level: 1, ID: "one", Title: "One", Short: true, Line: 9},
		{Level: 2, ID: "sections-end", Title: "Section’s end", Short: true, Line: 11},
		{Level: 3, ID: "deep", Title: "Deep", Short: true, Line: 13},
		{Level: 2, ID: "braces-stay", Title: "{braces} stay", Line: 19},
	}, b.Chapters[0].Parts[0].Document.Headings)
}

// Each case replaces a part of the small book.
func TestLoadReportsEveryProblemWithItsLine(t *testing.T) {
	const chapter = "01-one/chapter.md"
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key of the book", "title: Small", "title: Small\ncolour: red", "book.md:3: front matter has no key colour"},
		{"no description", "description: A book in a test.\n", "", "book.md:1: front matter lacks description"},
		{"no edition", "edition: 1\n", "", "book.md:1: front matter needs `edition: 1` and `date: 2026-01-31`: a whole number and a day"},
		{"no UUID", "edition: 1", "edition: 1\nuuid: one", "book.md:1: uuid: invalid UUID length: 3"},
		{"no day", "2026-01-02", "2026-13-02", "book.md:1: front matter needs `edition: 1` and `date: 2026-01-31`: a whole number and a day"},
		{"bad YAML", "title: Small", "title: [", "book.md:3: did not find expected ',' or ']'"},
		{"unknown key of a chapter", "number: 1", "number: 1\nnumbr: 1", chapter + ":3: front matter has no key numbr"},
		{"not a number", "number: 1", "number: one", chapter + ":2: this needs a whole number, not `one`"},
		{"line ends of Windows", "---\nnumber: 1\n", "---\r\nnumber: 1\r\n", chapter + ":1: this line has a carriage return: " +
			"the file was saved, or checked out, with Windows' line ends; save it with LF, or `git checkout` it again"},
		{"no front matter", "---\nnumber: 1", "number: 1", chapter + ":1: the first line must be ---, and front matter follow"},
		{"summary of a written chapter", "  title: One\n", "  title: One\n  summary: First.\n", chapter +
			":1: the chapter is written, so that its summary stands here, and no longer in book.md"},
		{"no core", "core: [one.go]\n", "", chapter + ":1: front matter lacks core, what the chapter is about: " +
			"`core: [queue.go, store]` names files and packages in the order of reading"},
		{"no comparison", "[in-kubernetes.md]", "[]", chapter + ":1: the last of parts is in-kubernetes.md\n" +
			"01-one/in-kubernetes.md:1: parts of chapter.md does not list it"},
		{"other number", "number: 1", "number: 2", chapter + ":1: number is 2, but book.md lists it as chapter 1"},
		{"other title", "number: 1\ntitle: One", "number: 1\ntitle: Eins", chapter + `:1: title is "Eins", but book.md says "One"`},
		{"other heading", "# One", "# Eins", chapter + `:8: the heading is "Eins", but the title is "One"`},
		{"no heading", "# One\n", "", chapter + ":8: the text must begin with `# One`"},
		{"second title", "## Section", "# Section", chapter + ":14: a second heading of level 1: Section’s end"},
		{"level left out", "## Section", "### Section", chapter + ":14: heading of level 3 follows one of level 1: Section’s end"},
		{"unknown attribute", "Section's end", "Section's end {terms=\"x\"}", chapter + ":14: a heading has no attribute terms: it may have path and search"},
		{"an id of one's own", "Section's end", "Section's end {#end}", chapter + ":14: a heading has no attribute id: it may have path and search"},
		{"unknown path", "Section's end", "Section's end {path=\"long\"}", chapter + ":14: the one path is short, and not \"long\""},
		{"a number for a path", "Section's end", "Section's end {path=7}", chapter + ":14: the path of a heading is a text: path=\"…\""},
		{"a search without words", "Section's end", "Section's end {search=\"\"}", chapter + ":14: the search of a heading is a text: search=\"…\""},
		{"a path without quotes", "Section's end", "Section's end {path=the end}", chapter + ":14: these are no attributes: {path=the end}; write {path=\"short\"}"},
		{"a path of the title", "# One\n\nText", "# One {path=\"short\"}\n\nText", chapter + ":8: the title of a page has its path in front matter"},
		{"unknown path of a page", "number: 1", "number: 1\npath: long", chapter + ":1: the one path is short, and not \"long\""},
		{"heading twice", "[two.go]", "### Again\n\n### Again\n\n[two.go]", chapter + ":18: a second heading \"Again\": the first is at line 16"},
		{"no UTF-8", "Text with", "T\xe9xt with", chapter + ":10: the byte 0xe9 on this line is no UTF-8: save the file as UTF-8"},
		{"fence that swallows a heading", "[^n]: In", "```sh\nls\n\n[^n]: In", chapter + ":10: there is no note [^n]\n" +
			chapter + ":12: this fence is not closed before line 17, which is a heading: ## Section's end"},
		{"fence that swallows another", "[^n]: In the margin.", "[^n]: In.\n\n```sh\nls\n\n```go\n```", chapter +
			":14: this fence is not closed before line 17, which begins another"},
		{"fence that nothing closes", "[two.go](two.go)", "```\n[two.go](two.go)", chapter + ":16: nothing closes this fence"},
		{"fence in a list and in a fence", "[two.go]", "- a\n\n  ````md\n  ```go\n  ```\n  ````\n\n> ~~~yaml\n> # a comment\n> ~~~\n\nWhy?\n:   ```sh\n    ls\n    ```\n\n[two.go]", ""},
		{"undefined note", "[^n]\n", "[^m]\n", chapter + ":10: there is no note [^m]\n" + chapter + ":12: note [^n] is called nowhere"},
		{"note called twice", "[^n]\n", "[^n] [^n]\n", chapter + ":10: note [^n] is called a second time"},
		{"note written twice", "[^n]: In", "[^n]: Once.\n\n[^n]: In", chapter + ":14: note [^n] is called nowhere\n" + chapter + ":14: there is a second note [^n]"},
		{"note with a list", "[^n]: In", "[^n]: - In", chapter + ":12: note [^n] holds more than paragraphs"},
		{"raw HTML", "Text with", "<b>Text</b> with", chapter + ":10: raw HTML is not woven: write Markdown, or `code`"},
		{"HTML block", "Text with", "<div>\n</div>\n\nText with", chapter + ":10: raw HTML is not woven: write Markdown, or `code`"},
		{"undefined link", "Text with", "Text [with][label], `m[a][b]` and", chapter + ":10: the link [with][label] has no definition"},
		{"comment", "Text with", "<!-- for editors -->\n\nText with", ""},
		{"chapter that nobody lists", "-- 01-one/chapter.md --", "-- 03-x/chapter.md --\n-- 01-one/chapter.md --",
			"03-x/chapter.md:1: DIR/book.md does not list the chapter 03-x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, strings.Replace(small, c.old, c.new, 1))
			_, err := book.Load(dir)
			var got []string
			for _, e := range source.Flatten(err) {
				got = append(got, strings.TrimPrefix(strings.ReplaceAll(e.Error(), dir, "DIR"), "DIR/"))
			}
			assert.Equal(t, c.want, strings.Join(got, "\n"))
		})
	}
}
