package browser

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// budget is what a part's page may weigh with the styles and scripts that it
// loads, in bytes, gzipped as hard as it goes. Scripts that are loaded on a
// reader's demand, as the search is, come on top.
const budget = 100_000

func TestAPartWeighsLessThanAPicture(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, part := range p.parts(t) {
			total := 0
			for _, name := range []string{part, "assets/book.css", "assets/book.js"} {
				size := zipped(t, filepath.Join(p.dir, filepath.FromSlash(name)))
				t.Logf("%s: %d bytes gzipped", name, size)
				total += size
			}
			assert.Less(t, total, budget, "%s with styles and scripts", part)
		}
	})
}

// firstVisit is what all weighs that a reader's first page makes a browser ask for,
// with its letters: packed, but for those, which are.
const firstVisit = 170_000

func assertAFirstVisitIsLight(t *testing.T, url, dir string) {
	t.Helper()
	tb := newTab(t, 1440)
	tb.open(url + "01-control-loop/")
	tb.wait(`document.readyState === "complete"`)
	_, asked := tb.said()
	assert.NotEmpty(t, asked)
	total := 0
	for _, address := range asked {
		name, ok := strings.CutPrefix(address, url)
		if !ok {
			continue // data: is in the page
		}
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		size := zipped(t, file)
		if filepath.Ext(name) == ".woff2" {
			info, err := os.Stat(file)
			require.NoError(t, err)
			size = int(info.Size())
		}
		t.Logf("%s: %d bytes", name, size)
		total += size
	}
	assert.Less(t, total, firstVisit)
}

func TestAFirstVisitIsLight(t *testing.T) {
	slow.Glance(t)
	browserContext(t)
	p := serve(t, book)
	assertAFirstVisitIsLight(t, p.url, p.dir)
}

// letters is what a page of the index may weigh.
const letters = 30_000

func TestAPageOfTheIndexIsSmall(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range append(p.glob(t, "symbols/*.html"), "symbols.html") {
			assert.Less(t, zipped(t, filepath.Join(p.dir, filepath.FromSlash(page))), letters, page)
		}
	})
}

// A part reaches down as far as one sitting does, without its exercises.
var isOneSitting = claim{
	says:   "a part has up to 25,000 pixels at 1,440",
	widths: []int64{1440},
	parts:  true,
	against: `[document.documentElement.scrollHeight - [...document.querySelectorAll(".exercise")]
			.map((exercise) => (exercise.nextElementSibling?.offsetTop ?? exercise.offsetTop + exercise.offsetHeight) - exercise.offsetTop)
			.reduce((a, b) => a + b, 0)]
		.filter((height) => height > 25_000)
		.map((height) => height + " pixels")`,
}

func zipped(t *testing.T, name string) int {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Len()
}
