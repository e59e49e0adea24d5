package browser

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	source "reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/ebook"
	"reconcile/cmd/bookgen/internal/site"
)

// TestCoverPicture opens the cover of the e-book. With -update it takes the picture of it
// that shops have:
//
//	go test ./cmd/bookgen/internal/browser -run CoverPicture -update
func TestCoverPicture(t *testing.T) {
	b, err := source.Load(root + "/chapters")
	require.NoError(t, err)
	epub, err := ebook.EPUB(&site.Book{Title: b.Title, Subtitle: b.Subtitle, Editions: []site.Edition{site.Edition(b.Editions[0])}})
	require.NoError(t, err)
	files, err := zip.NewReader(bytes.NewReader(epub), int64(len(epub)))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, files))
	tb := newTab(t, 800)
	tb.do(chromedp.EmulateViewport(800, 1280, chromedp.EmulateScale(2)))
	tb.do(chromedp.Navigate("file://" + filepath.ToSlash(filepath.Join(dir, "EPUB", "cover.xhtml"))))
	tb.wait(`document.fonts.status === "loaded" && document.querySelector("svg.cover").textContent.includes("Reconcile")`)
	ask[bool](tb, `document.querySelector("svg.cover").setAttribute("style", "position: fixed; inset: 0; width: 800px; height: 1280px"), true`)
	keep(t, tb.capture("svg.cover"), root+"/chapters/cover.png", 120_000)
	assert.Equal(t, []float64{800, 1280}, ask[[]float64](tb, `[innerWidth, innerHeight]`))
}
