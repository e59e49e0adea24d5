package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// here is the text of the strip.
const here = `document.querySelector(".here").innerText.replace(/\s+/g, " ")`

func TestASmallScreenSaysWhereOneIs(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for _, width := range []int64{320, 390, 820, 1100} {
		tb := newTab(t, width)
		tb.open(p.url + "01-control-loop/index.html")
		assert.Contains(t, ask[string](tb, here), "In this chapter")
		ask[bool](tb, `document.querySelector("#a-queue-of-keys").scrollIntoView(), true`)
		tb.wait(here + `.includes("A queue of keys, not of events 2 of 6")`)
		assert.Zero(t, ask[int](tb, `Math.round(document.querySelector(".sections").getBoundingClientRect().top)`), "it stays at the head of the window")
		below := ask[bool](tb, `document.querySelector("#a-queue-of-keys").getBoundingClientRect().top >=
			document.querySelector(".sections").getBoundingClientRect().bottom`)
		assert.True(t, below, "what one goes to is not hidden behind it at %d", width)
		tb.wait(`+document.querySelector(".sections").style.getPropertyValue("--read") > .1`)

		tb.do(chromedp.Click(chromedp.CSS(".sections summary")))
		tb.wait(`document.querySelector(".sections a[aria-current]").checkVisibility()`)
		tb.press(escape)
		tb.wait(`!document.querySelector(".sections details").open`)
	}
}

func TestTheFrontPageOffersToGoOnWhereOneWas(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for _, width := range []int64{390, 1440} {
		tb := newTab(t, width)
		tb.open(p.url + "index.html")
		ask[bool](tb, `localStorage.clear(), true`)
		tb.open(p.url + "index.html")
		assert.Zero(t, ask[int](tb, `document.querySelectorAll(".resume").length`), "nobody was anywhere yet")
		tb.open(p.url + "01-control-loop/index.html")
		ask[bool](tb, `document.querySelector("#deciding").scrollIntoView(), true`)
		tb.wait(`localStorage.places?.includes("#deciding")`)
		tb.open(p.url + "index.html")
		assert.Equal(t, "Continue where you were, Deciding", ask[string](tb, `document.querySelector(".resume a").textContent`))
		assert.Equal(t, "1.1 · The loop, 4 of 6", ask[string](tb, `document.querySelector(".resume small").textContent`))
		tb.do(chromedp.Click(chromedp.CSS(".resume a")))
		tb.wait(`location.pathname.includes("01-control-loop") && location.hash === "#deciding"`)
	}
}
