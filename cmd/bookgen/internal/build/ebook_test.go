package build_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/ebook"
)

// drawn matches the inside of a drawing, which package figure tests.
var drawn = regexp.MustCompile(`(<svg [^>]*>).*?</svg>`)

func TestAnEbookNeedsNoMarginsAndNoFolds(t *testing.T) {
	const name = "testdata/ebook/book.txtar"
	archive, err := txtar.ParseFile(name)
	require.NoError(t, err)
	given := slices.Clone(archive.Files)
	for len(given) > 0 && isExpected(given[len(given)-1].Name) {
		given = given[:len(given)-1]
	}
	o := options(t, string(txtar.Format(&txtar.Archive{Files: given})))
	book, err := build.NewPress(o).Leaved(t.Context())
	require.NoError(t, err)
	epub, err := ebook.EPUB(book)
	require.NoError(t, err)
	packed, err := zip.NewReader(bytes.NewReader(epub), int64(len(epub)))
	require.NoError(t, err)
	page := func(name string) []byte {
		text, err := fs.ReadFile(packed, "EPUB/01-loop/"+name)
		require.NoError(t, err)
		return drawn.ReplaceAll(text, []byte("$1</svg>"))
	}
	got := &txtar.Archive{Comment: archive.Comment, Files: append(given,
		txtar.File{Name: "part.xhtml", Data: page("index.xhtml")},
		txtar.File{Name: "exercise.xhtml", Data: page("exercises/1b.md.xhtml")},
	)}
	if *update {
		require.NoError(t, os.WriteFile(name, txtar.Format(got), 0o644))
		return
	}
	assert.Equal(t, string(txtar.Format(archive)), string(txtar.Format(got)))
}

func TestAPressThatBindsABookMakesTheSamePages(t *testing.T) {
	archive, err := os.ReadFile("testdata/ebook/book.txtar")
	require.NoError(t, err)
	o := options(t, string(archive))
	want := mustCompose(t, o)
	press := build.NewPress(o)
	_, err = press.Leaved(t.Context())
	require.NoError(t, err)
	got, err := press.Compose(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want.Files, got.Files)
}
