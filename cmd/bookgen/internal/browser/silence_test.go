package browser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPagesSayNothingAndAskNobodyElse(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		t.Run("served", func(t *testing.T) { assertSilence(t, p, p.url) })
		t.Run("from a folder", func(t *testing.T) { assertSilence(t, p, p.file()) })
	})
}

// assertSilence opens all kinds of pages, and the search in each.
func assertSilence(t *testing.T, p place, root string) {
	for _, page := range p.pages(t) {
		if page == "404.html" && strings.HasPrefix(root, "file:") {
			continue // only a server answers with it
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			tb := newTab(t, 1440)
			tb.open(root + page)
			tb.press("/")
			tb.wait(`!!document.querySelector("#searching[open]")`)
			console, requests := tb.said()
			assert.Empty(t, console, "it wrote to the console")
			for _, url := range requests {
				own := strings.HasPrefix(url, root) || strings.HasPrefix(url, "data:")
				assert.True(t, own, "it asked for %s", url)
			}
		})
	}
}
