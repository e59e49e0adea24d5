package build_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

func options(t testing.TB, archive string) build.Options {
	return build.Options{Root: writeBook(t, archive), Cache: t.TempDir()}
}

func mustBuild(t testing.TB, o build.Options) build.Report {
	t.Helper()
	report, err := build.Build(context.Background(), o)
	require.NoError(t, err)
	return report
}

func mustCompose(t testing.TB, o build.Options) *build.Edition {
	t.Helper()
	edition, err := build.Compose(context.Background(), o)
	require.NoError(t, err)
	return edition
}

// snapshot returns every file of the site with its content.
func snapshot(t testing.TB, o build.Options) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(o.Site(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	require.NoError(t, err)
	return files
}

func edit(t testing.TB, o build.Options, name, old, new string) {
	t.Helper()
	path := filepath.Join(o.Chapters(), "01-loop", name)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(content), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o644))
}

func TestTwoBuildsGiveTheSameBytes(t *testing.T) {
	a, b := options(t, ""), options(t, "")
	b.Cache = ""
	assert.Equal(t, mustCompose(t, a).Files, mustCompose(t, b).Files)
}

func TestBuildWritesWhatItRendered(t *testing.T) {
	o := options(t, "")
	report, edition := mustBuild(t, o), mustCompose(t, o)
	for name, content := range edition.Carried {
		got, err := os.ReadFile(filepath.Join(o.Site(), filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Equal(t, string(content), string(got), name)
	}
	assert.Len(t, snapshot(t, o), len(edition.Carried))
	assert.Equal(t, 3, report.Counts.Lines, "the package clause, a comment, a function")
}

func TestListingsArePublishedAndACloneHasTheFilesInstead(t *testing.T) {
	o := options(t, twoChapters)
	mustBuild(t, o)
	assert.NoDirExists(t, o.Public(), "it was not asked for")
	read := func(site, name string) string {
		content, err := os.ReadFile(filepath.Join(site, filepath.FromSlash(name)))
		require.NoError(t, err)
		return string(content)
	}
	assert.NoFileExists(t, filepath.Join(o.Site(), "01-loop", "loop.go.html"))
	assert.Contains(t, read(o.Site(), "02-later/index.html"), `<a class=file href=../../chapters/02-later/later.go>`)
	assert.Contains(t, read(o.Site(), "02-later/index.html"), `<a href=../01-loop/index.html#Loop>`, "a page that a clone has")
	assert.FileExists(t, filepath.Join(o.Site(), "01-loop", "../../chapters/02-later/later.go"))

	_, err := build.Publish(context.Background(), o)
	require.NoError(t, err)
	assert.Contains(t, read(o.Public(), "02-later/index.html"), `<a class=file href=later.go.html#L1>`)
	assert.Contains(t, read(o.Public(), "02-later/later.go.html"), "later")
	for name, content := range mustCompose(t, o).Files {
		assert.Equal(t, string(content), read(o.Public(), name), name)
	}
}

func TestAnAddressOfThePublishedSiteLeavesACloneAsItIs(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	before := snapshot(t, o)
	for _, address := range []string{"https://book.example", "https://other.example/book/"} {
		o.URL = address
		_, err := build.Publish(context.Background(), o)
		require.NoError(t, err)
		assert.Contains(t, page(t, o.Public(), "contents.html"), `<link rel="canonical" href="`+strings.TrimSuffix(address, "/")+`/contents.html">`)
		assert.FileExists(t, filepath.Join(o.Public(), "feed.xml"))
		assert.FileExists(t, filepath.Join(o.Public(), "01-loop", "loop.go.html"))
	}
	assert.Equal(t, before, snapshot(t, o))
}

func TestAnAddressThatGoesLeadsOnFromThePublishedSite(t *testing.T) {
	o := options(t, "")
	file := filepath.Join(o.Root, "chapters", "book.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	text = []byte(strings.Replace(string(text), "chapters:\n", "moved: {old/index.html: contents.html}\nchapters:\n", 1))
	require.NoError(t, os.WriteFile(file, text, 0o644))
	_, err = build.Publish(context.Background(), o)
	require.NoError(t, err)
	assert.Contains(t, page(t, o.Public(), "old/index.html"), `content="0; url=../contents.html"`)
}

func TestBuildLeavesTheOldSiteWhenAReferenceIsMissing(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	before := snapshot(t, o)
	edit(t, o, "chapter.md", "(loop.go)", "(lop.go)")
	_, err := build.Build(context.Background(), o)
	assert.ErrorContains(t, err, "chapter.md:8: there is no file lop.go in 01-loop")
	assert.Equal(t, before, snapshot(t, o))
}

func TestBuildNamesTheReferenceToAMethodThatWasRenamed(t *testing.T) {
	o := options(t, `
-- chapter.md --
# Loop

[Loop](loop.go#Loop)
-- loop_test.go --
package loop

import "testing"

func TestLoop(t *testing.T) { Loop() }
`)
	mustBuild(t, o)
	edit(t, o, "loop.go", "func Loop", "func Round")
	_, err := build.Build(context.Background(), o)
	assert.ErrorContains(t, err, "chapter.md:8: loop.go does not declare Loop")
	assert.ErrorContains(t, err, "loop_test.go:5: undefined: Loop", "what no longer compiles is reported with it")
}

func TestFilesThatDidNotChangeKeepTheirTimes(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for path := range snapshot(t, o) {
		require.NoError(t, os.Chtimes(path, old, old))
	}
	edit(t, o, "chapter.md", "# Loop\n", "# Loop\n\nA sentence.\n")
	report := mustBuild(t, o)
	require.NotEmpty(t, report.Changed)
	changed := map[string]bool{}
	for _, name := range report.Changed {
		changed[filepath.Join(o.Site(), filepath.FromSlash(name))] = true
	}
	for path := range snapshot(t, o) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, !changed[path], info.ModTime().Equal(old), path)
	}
	before, err := os.Stat(o.Site())
	require.NoError(t, err)
	assert.Empty(t, mustBuild(t, o).Changed, "a third build has nothing to do")
	after, err := os.Stat(o.Site())
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after), "and does nothing")
}

func TestBuildRemovesPagesThatAreNoMore(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	stray := filepath.Join(o.Site(), "stray.html")
	require.NoError(t, os.WriteFile(stray, nil, 0o644))
	assert.Equal(t, []string{"stray.html"}, mustBuild(t, o).Changed)
	assert.NoFileExists(t, stray)
}

func TestABuildThatIsStoppedLeavesTheOldSite(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	before := snapshot(t, o)
	edit(t, o, "chapter.md", "# Loop\n", "# Loop\n\nA sentence.\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := build.Build(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, before, snapshot(t, o))
}

func TestABuildCleansUpBehindOneThatWasKilled(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	want := snapshot(t, o)
	for name, killed := range map[string]func() error{
		"while it wrote":          func() error { return os.Mkdir(o.Site()+".new", 0o755) },
		"between the two renames": func() error { return os.Rename(o.Site(), o.Site()+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, killed())
			assert.Empty(t, mustBuild(t, o).Changed, "the old site was whole")
			assert.Equal(t, want, snapshot(t, o))
			leftovers, err := filepath.Glob(o.Site() + ".*")
			require.NoError(t, err)
			assert.Empty(t, leftovers)
		})
	}
}

// TestWhoReadsDuringABuildSeesOneEdition reads two files of the site all the
// while that builds alternate between two books.
func TestWhoReadsDuringABuildSeesOneEdition(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 6 {
			old, new := "goes round", "runs"
			if i%2 == 1 {
				old, new = new, old
			}
			edit(t, o, "loop.go", old, new)
			mustBuild(t, o)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			_, err := os.ReadFile(filepath.Join(o.Site(), "01-loop", "index.html"))
			assert.NoError(t, err)
		}
	}
}

func TestStaleNamesWhatIsMissingDifferentOrTooMuch(t *testing.T) {
	o := options(t, "")
	mustBuild(t, o)
	files := maps.Clone(mustCompose(t, o).Carried)
	delete(files, "contents.html")
	files["index.html"] = []byte("other")
	files["new.html"] = nil
	stale, err := build.Stale(o.Site(), files)
	require.NoError(t, err)
	assert.Equal(t, []string{"contents.html", "index.html", "new.html"}, stale)
}
