package build_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

var update = flag.Bool("update", false, "rewrite what the cases in testdata expect")

// base is the book that every case changes: its files replace these.
const base = `
-- go.mod --
module reconcile

go 1.26
-- chapters/book.md --
---
title: Small
description: A book in a test.
edition: 1
date: 2026-01-02
chapters:
- slug: 01-loop
  title: Loop
- slug: 02-later
  title: Later
---
A book.
-- chapters/01-loop/chapter.md --
# Loop

[loop.go](loop.go)
-- chapters/01-loop/in-kubernetes.md --
---
title: Loops in Kubernetes
summary: What is the same.
---
# Loops in Kubernetes

It has many.
-- chapters/02-later/in-kubernetes.md --
---
title: Later in Kubernetes
summary: What is the same.
---
# Later in Kubernetes
-- chapters/01-loop/loop.go --
package loop

// Loop goes round.
func Loop() {}
-- chapters/01-loop/loop_test.go --
package loop

import "testing"

func TestLoop(t *testing.T) {}
`

// front returns the front matter of a chapter that is about all of its code.
func front(code ...string) string {
	return "---\n{number: 1, title: Loop, summary: Round.,\nparts: [in-kubernetes.md],\ncore: [" + strings.Join(code, ", ") + "]}\n---\n"
}

// writeBook writes the base with the files of a case over it. Names without a
// folder are in the chapter, whose chapter.md gets front matter if it has none: then
// the chapter is about all of its code.
func writeBook(t testing.TB, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	files := map[string][]byte{}
	for _, file := range append(txtar.Parse([]byte(base)).Files, txtar.Parse([]byte(archive)).Files...) {
		name := file.Name
		if name != "go.mod" && !strings.HasPrefix(name, "chapters/") && !strings.HasPrefix(name, "workshop/") {
			name = "chapters/01-loop/" + name
		}
		if !isExpected(file.Name) {
			files[name] = file.Data
		}
	}
	const chapter = "chapters/01-loop/chapter.md"
	if !bytes.HasPrefix(files[chapter], []byte("---\n")) {
		files[chapter] = append([]byte(front(codeOf(files)...)), files[chapter]...)
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	return root
}

// codeOf returns the code of the first chapter, by its paths in the chapter.
func codeOf(files map[string][]byte) []string {
	var code []string
	for name := range files {
		file, ok := strings.CutPrefix(name, "chapters/01-loop/")
		if ok && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "exercises/") {
			code = append(code, file)
		}
	}
	slices.Sort(code)
	return code
}

// isExpected reports whether a part of a case is expected output, and not
// input.
func isExpected(name string) bool {
	return name == "errors" || name == "home" || name == "course" || strings.HasSuffix(name, "html")
}

// outcome returns what a case expects: the HTML of the chapter, of the page
// beside it if there is one, or of the page that the case asks for instead, the
// course if there is one, or the errors.
func outcome(t *testing.T, root, cache, page string) (kind, text string) {
	t.Helper()
	edition, err := build.Compose(context.Background(), build.Options{Root: root, Cache: cache})
	switch {
	case err != nil:
	case page == "home":
		return page, strings.TrimSpace(edition.Book.Home.String()) + "\n"
	case len(edition.Book.Courses) > 0:
		return "course", courseText(edition.Book.Courses[0])
	case len(edition.Book.Beside) > 0:
		return edition.Book.Beside[0].File, strings.TrimSpace(edition.Book.Beside[0].Body.String()) + "\n"
	case strings.HasSuffix(page, ".html"):
		return page, listing(edition, strings.TrimSuffix(page, ".html")) + "\n"
	default:
		return "html", strings.TrimSpace(edition.Book.Chapters[0].Parts[0].Body.String()) + "\n"
	}
	for _, e := range source.Flatten(err) {
		message := strings.ReplaceAll(e.Error(), root+string(filepath.Separator), "")
		text += strings.ReplaceAll(message, "chapters/01-loop/", "") + "\n"
	}
	return "errors", text
}

// courseText returns a course as its instructor sees it, from the clock to what is
// shown.
func courseText(c *site.Course) string {
	var b strings.Builder
	write := func(format string, args ...any) {
		fmt.Fprint(&b, strings.TrimSpace(fmt.Sprintf(format, args...)), "\n")
	}
	write("%s, %s: %s, %d evening(s) of %d minutes, %d people\n%s", c.Slug, c.Title, c.Summary, c.Evenings, c.Target, c.People, c.Body)
	for _, s := range c.Sessions {
		write("== %s (%s, evening %d, %s)", s.Title, s.ID, s.Evening, s.Checkpoint)
		for _, item := range s.Items {
			write("%s %d min, %s %s", course.Clock(item.At), item.Minutes, item.Title, item.Body)
			if item.Break {
				write("  a break")
			}
			for _, ask := range item.Asks {
				write("ask: %s\nanswer: %s", ask.Question, ask.Answer)
			}
			if n := item.Note; n != nil {
				write("%s", item.Before)
				write("  note %s: %q of chapter %d, %s, %d min\nsay: %s", n.ID, n.Title, n.Chapter, n.Href, n.Minutes, n.Say)
				for _, ask := range n.Asks {
					write("ask: %s\nanswer: %s", ask.Question, ask.Answer)
				}
				for _, show := range n.Shows {
					write("show: %s %q, %d lines, %d columns, line %d\n%s", show.Kind, show.Title, show.Lines, show.Columns, show.Line, show.Body)
				}
				write("watch for: %s", n.Watch)
			}
			if t := item.Task; t != nil {
				write("  exercise %s: %q, %s, %s, %d min of %d people, needs %s\n%s\n%s\n%s\n%s\n%s", t.Number, t.Title, t.Kind, t.Href, t.Minutes,
					t.People, t.Needs, t.Statement, t.Given, t.Signatures, strings.Join(t.Tests, ", "), t.Answer)
				for _, slip := range t.Wrong {
					write("wrong: %s, caught by %s: %s", slip.Name, slip.CaughtBy, slip.Why)
				}
			}
		}
	}
	return b.String()
}

// listing returns the code on the page of a file.
func listing(edition *build.Edition, file string) string {
	for _, l := range edition.Book.Chapters[0].Listings {
		if l.File == file {
			return strings.TrimSpace(markup(l))
		}
	}
	return ""
}

// markup returns the text or the code of a listing.
func markup(l site.Listing) string {
	text := l.Body.String()
	for _, line := range l.Code {
		text += string(line) + "\n"
	}
	return text
}

// TestCorpus weaves every case in testdata, each a file that can be read by
// itself: its subject, the files that differ from the base, and the outcome.
func TestCorpus(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	cache := t.TempDir()
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			last := len(archive.Files) - 1
			kind, text := outcome(t, writeBook(t, string(txtar.Format(archive))), cache, archive.Files[last].Name)
			if *update {
				if isExpected(archive.Files[last].Name) {
					archive.Files = archive.Files[:last]
				}
				archive.Files = append(archive.Files, txtar.File{Name: kind, Data: []byte(text)})
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, archive.Files[last].Name, kind)
			assert.Equal(t, string(archive.Files[last].Data), text)
		})
	}
}

// A reader who comes to a file to write in it does not want to see the answer
// first.
func TestAListingHasItsAnswersFoldedAway(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/exercise.txtar")
	require.NoError(t, err)
	text := strings.Replace(string(txtar.Format(archive)), "func Loop() {}\n-- exercises", "func Loop() {\n\tfor {\n\t}\n}\n-- exercises", 1)
	edition, err := build.Compose(t.Context(), build.Options{Root: writeBook(t, text), Cache: t.TempDir()})
	require.NoError(t, err)
	for _, l := range edition.Book.Chapters[0].Listings {
		if l.File == "loop.go" {
			assert.Equal(t, []site.Fold{{First: 7, Last: 8, Summary: "Exercise 1b"}}, l.Folds)
			return
		}
	}
	t.Fatal("there is no listing of loop.go")
}
