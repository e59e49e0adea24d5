package browser

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestAReportNamesTheSectionThatTheReaderIsAt(t *testing.T) {
	t.Parallel()
	book := sample.Book()
	book.Report = "https://forge.example/new?title={title}&body={body}&from=us"
	files, err := site.Render(book)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "sample")
	require.NoError(t, write(dir, files))
	p := serve(t, dir)
	tb := newTab(t, 1440)
	for _, section := range []string{"", "#waiting", "#queue.go:Queue.Add"} {
		tb.open(p.url + "01-control-loop/index.html" + section)
		for range 2 { // the second time, the address has what the first click left
			ask[bool](tb, `((report) => {
				report.addEventListener("click", (event) => event.preventDefault());
				report.click();
				return true;
			})(document.querySelector("[data-page]"))`)
		}
		report, err := url.ParseQuery(ask[string](tb, `document.querySelector("[data-page]").search.slice(1)`))
		require.NoError(t, err)
		assert.Equal(t, "\n\nhttps://reconcile.example/01-control-loop/"+section+"\nEdition 4, 30 November 2026\n", report.Get("body"))
		assert.Equal(t, "us", report.Get("from"))
	}
}
