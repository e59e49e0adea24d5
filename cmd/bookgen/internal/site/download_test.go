package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestThreePagesOfferTheBookAsFilesWithTheirExtent(t *testing.T) {
	files := render(t)
	before := render(t)
	pdf, epub := make([]byte, 9_160_000), make([]byte, 1_900_000)
	require.NoError(t, site.Offer(sample.Book(), files, []site.Download{
		{Name: "a PDF", File: "reconcile.pdf", Pages: 412, Content: pdf}, {Name: "an EPUB", File: "reconcile.epub", Content: epub},
	}))
	const offer = `the book as <a href="reconcile.pdf">a PDF</a> (412 pages, 9.2 MB) or <a href="reconcile.epub">an EPUB</a> (1.9 MB)`
	for name, content := range files {
		switch name {
		case "index.html":
			assert.Contains(t, string(content), `<a href="reconcile.pdf">The book as a PDF (412 pages, 9.2 MB)</a>`)
			assert.Contains(t, string(content), `<a href="reconcile.epub">as an EPUB (1.9 MB)</a>`)
		case "contents.html", "how-to-read.html":
			assert.Contains(t, string(content), offer, name)
		case "reconcile.pdf", "reconcile.epub":
		default:
			assert.Equal(t, before[name], content, name)
		}
	}
	assert.Len(t, files, len(before)+2)
	assertLeadsSomewhere(t, files, "how-to-read.html", "reconcile.epub")
}

func TestAPageWithoutFilesOffersNone(t *testing.T) {
	for name, content := range render(t) {
		assert.NotContains(t, string(content), "take along", name)
	}
}
