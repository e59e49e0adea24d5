package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// The figures of the book that show the lives of Pods say what happens at each
// instant, and a line goes with them.
func TestTheLivesOfPodsCanBeGoneThroughInstantByInstant(t *testing.T) {
	page := "03-rolling-update/index.html"
	if _, err := os.Stat(filepath.Join(book, filepath.FromSlash(page))); err != nil {
		t.Skip("the book has not been built")
	}
	browserContext(t)
	p := serve(t, book)
	for _, width := range []int64{390, 1440} {
		tb := newTab(t, width)
		tb.open(p.url + page)
		tb.do(chromedp.Click(chromedp.CSS(".fig-lanes + .scrub button")))
		tb.wait(`document.activeElement?.matches(".fig-lanes + .scrub input")`)
		said := `document.querySelector(".fig-lanes + .scrub output").textContent`
		assert.Regexp(t, `^Step 1 of \d+ 0 s: four v1 ready\. 4 there, 4 available$`, ask[string](tb, said))
		tb.press(kb.ArrowRight)
		assert.Regexp(t, `^Step 2 of \d+ 2 s: one v2 started\. 5 there, 4 available$`, ask[string](tb, said))
		seen := `[...document.querySelectorAll(".fig-lanes .now > .f-z")].filter((e) => e.checkVisibility() && getComputedStyle(e).stroke !== "none").length`
		assert.Equal(t, 1, ask[int](tb, seen), "where the instant is can be seen")
	}
}
