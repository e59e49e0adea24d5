package build_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// lying makes the record of the last build say something that no build would
// say: who says it has read it, and made nothing.
func lying(t *testing.T, o build.Options) {
	t.Helper()
	records, err := filepath.Glob(filepath.Join(o.Cache, "built-*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, records)
	for _, record := range records {
		text, err := os.ReadFile(record)
		require.NoError(t, err)
		lie := strings.Replace(string(text), `"Words":`, `"Words":1000`, 1)
		require.NoError(t, os.WriteFile(record, []byte(lie), 0o644))
	}
}

func TestABuildOfTheSameMakesNothing(t *testing.T) {
	o := options(t, "")
	words := mustBuild(t, o).Words
	lying(t, o)
	again := mustBuild(t, o)
	assert.Greater(t, again.Words, words, "it says what the record says")
	assert.Empty(t, again.Changed)
	published, err := build.Publish(context.Background(), o)
	require.NoError(t, err)
	assert.Equal(t, words, published.Words, "the whole site was not made before")
}

// TestABuildOfAnythingElseMakesItAnew changes each kind of thing that a site is
// made of, and looks whether a build that could keep the site of before does
// not.
func TestABuildOfAnythingElseMakesItAnew(t *testing.T) {
	const lib = "package lib\n\nvar Size = 1\n"
	o := options(t, `
-- chapter.md --
# Loop

[loop.go](loop.go)

[it](testdata/it.txt)
-- testdata/it.txt --
one
-- loop_test.go --
package loop

import (
	"testing"

	"reconcile/internal/lib"
)

func TestLoop(t *testing.T) { _ = lib.Size; _ = "it.txt" }
`)
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(o.Root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("internal/lib/lib.go", lib)
	mustBuild(t, o)
	for _, change := range []struct{ name, file, text string }{
		{"the text", "chapters/01-loop/chapter.md", front("loop.go") + "# Loop\n\nA word.\n\n[loop.go](loop.go)\n\n[it](testdata/it.txt)\n"},
		{"the code", "chapters/01-loop/loop.go", "package loop\n\n// Loop is round.\nfunc Loop() { turn() }\n\nfunc turn() {}\n"},
		{"what the code says", "chapters/01-loop/loop.go", "package loop\n\n// Loop is round.\nfunc Loop() {}\n\nfunc turn() { Loop() }\n"},
		{"a recording", "chapters/01-loop/testdata/it.txt", "two\n"},
		{"a file more", "chapters/01-loop/testdata/more.txt", "more\n"},
		{"the book", "chapters/book.md", "---\ntitle: Large\ndescription: A book.\nedition: 1\ndate: 2026-01-02\nchapters:\n- {slug: 01-loop, title: Loop}\n---\nA book.\n"},
		{"a course", "workshop/day.md", "---\n{title: A day, summary: All., start: \"09:00\", minutes: 60, people: 9}\n---\n## The loop\n\n- 20 min: Talk\n"},
		{"what lies beside it", "LICENSE", "Do what is right.\n"},
		{"code that tests import", "internal/lib/lib.go", lib + "\nvar More = 2\n"},
		{"the module", "go.mod", "module reconcile\n\ngo 1.26\n\n// So it is.\n"},
	} {
		lying(t, o)
		write(change.file, change.text)
		edition := mustCompose(t, o)
		assert.Equal(t, edition.Words, mustBuild(t, o).Words, change.name)
		stale, err := build.Stale(o.Site(), edition.Carried)
		require.NoError(t, err)
		assert.Empty(t, stale, change.name)
	}
	lying(t, o)
	require.NoError(t, os.WriteFile(filepath.Join(o.Site(), "index.html"), []byte("mine"), 0o644))
	assert.Equal(t, []string{"index.html"}, mustBuild(t, o).Changed, "what is in its place is not what was made")
}
