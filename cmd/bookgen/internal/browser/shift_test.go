package browser

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fallback faces are as wide as the book's own: when those come, the text
// that somebody has begun to read stays where it is, but for words that change lines:
// up to 0.1 is what Core Web Vitals call good.
func TestNothingMovesWhenTheFontsCome(t *testing.T) {
	t.Parallel()
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
		assert.Less(t, moved, 0.1, "at %d", width)
	}
}

// Words in several faces are set while some of those have come and some have not.
func TestEachFaceOfTheTextIsAsWideAsWhatStandsInForIt(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "words.html")
	if !ask[bool](tb, `document.fonts.load("16px 'Text Serif'").then((faces) => faces.every((face) => face.status === "loaded"), () => false)`) {
		t.Skip("neither Times New Roman nor Liberation Serif is here")
	}
	for _, face := range []string{"", "italic ", "600 "} {
		ratio := ask[float64](tb, `(async () => {
			const text = document.querySelector("main").textContent.replace(/[^\x20-\x7e]/g, "").repeat(3);
			const pen = document.createElement("canvas").getContext("2d");
			const [book, other] = await Promise.all(["Newsreader", "'Text Serif'"].map(async (family) => {
				const font = "`+face+`100px " + family;
				await document.fonts.load(font);
				pen.font = font;
				return pen.measureText(text).width;
			}));
			return other / book;
		})()`)
		assert.InDelta(t, 1, ratio, 0.012, "%sthe text", face)
	}
}

func TestChineseHasFontsOfItsOwn(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "words.html")
	assert.Contains(t, ask[string](tb, `getComputedStyle(document.querySelector("[lang=zh]")).fontFamily`), "noto sans cjk sc")
}
