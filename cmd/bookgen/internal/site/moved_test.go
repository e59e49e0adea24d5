package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestAnAddressThatAPageHadLeadsToWhereItIs(t *testing.T) {
	b := sample.Book()
	b.URL = "https://example.org/book/"
	b.Moved = map[string]string{"01-control-loop/kubelet/index.html": "01-control-loop/the-kubelet/index.html"}
	files, err := site.Render(b)
	require.NoError(t, err)
	page := string(files["01-control-loop/kubelet/index.html"])
	assert.Contains(t, page, `<link rel="canonical" href="https://example.org/book/01-control-loop/the-kubelet/">`)
	assert.Contains(t, page, `content="0; url=../the-kubelet/index.html">`)
	assert.NotContains(t, string(files["sitemap.xml"]), "loop/kubelet/")

	for from, to := range map[string]string{"index.html": "words.html", "old.html": "gone.html"} {
		b.Moved = map[string]string{from: to}
		_, err = site.Render(b)
		assert.ErrorContains(t, err, "moved: ")
	}
}
