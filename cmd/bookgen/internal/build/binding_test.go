package build_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// offering are the pages that lead to files of the book, where it has any.
var offering = []string{"index.html", "contents.html", "how-to-read.html"}

// boundBook is a book with all pages that can offer files, and a PDF of two pages,
// which counts how often it is made.
func boundBook(t *testing.T) (o build.Options, made *int) {
	t.Helper()
	o = options(t, "-- chapters/how-to-read.md --\n---\ntitle: How to read it\nsummary: Slowly.\n---\nRead.\n"+
		"-- chapters/book.md --\n---\ntitle: A Small Book\ndescription: A book.\nedition: 1\ndate: 2026-01-02\npages: [how-to-read.md]\nchapters:\n- {slug: 01-loop, title: Loop}\n---\nA book.\n")
	made = new(int)
	o.Bindings = []build.Binding{{Name: "a PDF", Ext: ".pdf", Step: "printing", Bind: func(context.Context, *build.Press) ([]byte, error) {
		*made++
		return []byte("<</Type /Pages>> <</Type /Page\n>> <</Type/Page/Parent 1>>"), nil
	}}}
	return o, made
}

func publish(t *testing.T, o build.Options) build.Report {
	t.Helper()
	report, err := build.Publish(context.Background(), o)
	require.NoError(t, err)
	return report
}

func page(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(content)
}

func TestAFileOfTheBookIsOfferedWhereItWasPublishedAndNowhereElse(t *testing.T) {
	o, _ := boundBook(t)
	publish(t, o)
	const offer = `href="a-small-book.pdf"`
	for _, name := range offering {
		assert.Contains(t, page(t, o.Public(), name), offer)
		assert.Contains(t, page(t, o.Public(), name), "(2 pages, 0.0 MB)")
		assert.NotContains(t, page(t, o.Site(), name), "a-small-book", "a clone does not carry it")
	}
	assert.Contains(t, page(t, o.Public(), "a-small-book.pdf"), "/Pages")
	assert.NotContains(t, page(t, o.Public(), "words.html"), offer)
	carried := snapshot(t, o)
	o.Bindings = nil
	mustBuild(t, o)
	assert.Equal(t, carried, snapshot(t, o), "the pages of a clone are those of a build")
}

func TestAFileOfTheSameBookIsMadeOnce(t *testing.T) {
	o, made := boundBook(t)
	publish(t, o)
	again := publish(t, o)
	assert.Equal(t, 1, *made)
	assert.Empty(t, again.Changed)
	edit(t, o, "chapter.md", "# Loop\n", "# Loop\n\nA sentence.\n")
	publish(t, o)
	assert.Equal(t, 2, *made, "it is another book")
}

func TestASiteThatIsPublishedWithoutFilesOffersNone(t *testing.T) {
	with, _ := boundBook(t)
	without := with
	without.Bindings = nil
	publish(t, with)
	publish(t, without)
	assert.NoFileExists(t, filepath.Join(without.Public(), "a-small-book.pdf"))
	for _, name := range offering {
		assert.NotContains(t, page(t, without.Public(), name), "To take along")
	}
	publish(t, with)
	assert.FileExists(t, filepath.Join(with.Public(), "a-small-book.pdf"))
}

func TestAFileThatCannotBeMadeLeavesTheOldSite(t *testing.T) {
	o, _ := boundBook(t)
	publish(t, o)
	edit(t, o, "chapter.md", "# Loop\n", "# Loop\n\nA sentence.\n")
	before := page(t, o.Public(), "01-loop/index.html")
	o.Bindings[0].Bind = func(context.Context, *build.Press) ([]byte, error) { return nil, errors.New("out of paper") }
	_, err := build.Publish(context.Background(), o)
	assert.EqualError(t, err, "a-small-book.pdf: out of paper")

	ctx, stop := context.WithCancel(context.Background())
	o.Bindings[0].Bind = func(context.Context, *build.Press) ([]byte, error) { stop(); return nil, errors.New("killed") }
	_, err = build.Publish(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, before, page(t, o.Public(), "01-loop/index.html"))
	assert.FileExists(t, filepath.Join(o.Public(), "a-small-book.pdf"))
}
