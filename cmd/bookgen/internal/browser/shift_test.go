package browser

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fallback faces are as wide as the book's own: when those come, the text
// that somebody has begun to read stays where it is.
func TestNothingMovesWhenTheFontsCome(t *testing.T) {
	browserContext(t)
	for _, width := range []int64{390, 1440} {
		p, release := held(t, ".woff2")
		tb := newTab(t, width)
		_, err := chromedp.Call(tb.ctx, page.Navigate, page.NavigateParams{URL: p.url + "01-control-loop/index.html"})
		require.NoError(t, err)
		tb.wait(`document.querySelector(".opener .copy, .copy") !== null && performance.getEntriesByName("first-contentful-paint").length > 0`)
		require.Zero(t, ask[int](tb, `[...document.fonts].filter((face) => face.family.includes("Newsreader") && face.status === "loaded").length`), "the fonts have not come yet")
		release()
		moved := ask[float64](tb, `(async () => {
			await document.fonts.ready;
			let sum = 0;
			const observer = new PerformanceObserver((list) => list.getEntries().forEach((shift) => { sum += shift.value; }));
			observer.observe({ type: "layout-shift", buffered: true });
			const frame = () => new Promise(requestAnimationFrame);
			for (let i = 0; i < 5; i++) await frame();
			observer.takeRecords().forEach((shift) => { sum += shift.value; });
			return sum;
		})()`)
		t.Logf("layout shift at %d: %.3f", width, moved)
		assert.Less(t, moved, 0.05, "at %d", width)
	}
}
