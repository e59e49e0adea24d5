package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

func TestTheShortPathIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "short.html")
	tb.do(chromedp.Click(chromedp.CSS("main h3 a")))
	tb.wait(`document.querySelectorAll(".path").length > 0`)
	assert.Equal(t, "#a-queue-of-keys", ask[string](tb, `location.hash`))
	assert.Equal(t, []string{
		"Left out: how this page opens, The naive loop, and what it costs ,#the-naive-loop",
		"Left out: Deciding #deciding",
		"Left out: What you can now explain #what-you-can-now-explain",
	}, ask[[]string](tb, `[...document.querySelectorAll(".path")].map((p) =>
		p.textContent + " " + [...p.querySelectorAll("a")].map((a) => a.hash))`))
	assert.Equal(t, []string{"a-queue-of-keys", "ours-and-kubernetes"}, ask[[]string](tb, `[...document.querySelectorAll(".body > h2:not([hidden])")].map((h) => h.id)`))
	assertAccessible(t, tb)

	tb.press("]")
	tb.wait(`location.pathname.includes("the-kubelet") && !!document.querySelector(".path")`)
	assert.Equal(t, "Before, on the short path 1.1 · The loop", ask[string](tb, `document.querySelector(".turn [rel=prev]").textContent`))
	tb.do(chromedp.Click(chromedp.CSS(".turn [rel=next]")))
	tb.wait(`location.pathname.endsWith("short.html")`)
}

func TestThePathIsLeft(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "01-control-loop/the-kubelet/index.html?path=short")
	tb.wait(`!!document.querySelector(".meta a")`)
	tb.do(chromedp.Click(chromedp.CSS(".meta a")))
	tb.wait(`location.search === "" && document.readyState === "complete"`)
	assert.Equal(t, "Before 1.1 · The loop", ask[string](tb, `document.querySelector(".turn [rel=prev]").textContent`))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".path").length`))
}

// A reader without scripts goes back to the short contents for each step.
func TestTheShortPathNeedsNoScripts(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := withoutScripts(t, 820)
	tb.do(chromedp.Navigate(p.url + "contents.html"))
	tb.do(chromedp.Click(chromedp.CSS(".ways a:last-child")))
	tb.wait(`location.pathname.endsWith("short.html")`)
	tb.do(chromedp.Click(chromedp.CSS("main h3 a")))
	tb.wait(`location.hash === "#a-queue-of-keys"`)
}
