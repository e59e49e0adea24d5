package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// The stops of the tab key are counted against the pieces of a page.
var canBeWalkedWithTheTabKey = claim{
	says:   "the tab key has no more than two stops a piece, and 120",
	widths: []int64{1440},
	parts:  true,
	against: `(() => {
		const stops = [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")]
			.filter((e) => e.tabIndex >= 0 && e.checkVisibility()).length;
		const pieces = document.querySelectorAll(".body :is(figure.code, .signature, .output, details, .body a:not(pre a))").length;
		return stops < 120 + 2 * pieces ? [] : [stops + " stops for " + pieces + " pieces"];
	})()`,
}

func TestTheTabKeyGoesFromPieceToPieceAndArrowsFromNameToName(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.do(chromedp.Focus(chromedp.CSS(`[id="queue.go:Queue.Add"] .file`)))
	focused := `document.activeElement.textContent`
	tb.press(kb.ArrowRight)
	assert.Equal(t, "copy", ask[string](tb, focused))
	tb.press(kb.ArrowRight)
	assert.Equal(t, "Queue", ask[string](tb, focused))
	tb.press(kb.ArrowRight)
	tb.press(kb.ArrowRight)
	tb.press(kb.ArrowLeft)
	assert.Equal(t, "Key", ask[string](tb, focused))
	tb.press(tabKey)
	assert.Equal(t, "queue.go:wait", ask[string](tb, `document.activeElement.closest("figure").id`))
}

func TestOnlyWhatHasToBePushedIsAStop(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "01-control-loop/index.html")
	stop := `document.querySelector("[id='queue.go:Queue'] > pre").tabIndex`
	assert.Zero(t, ask[int](tb, stop))
	tb.resize(1440)
	tb.wait(stop + ` === -1`)
}

func TestLinksThatLeadOutSaySo(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	assert.Contains(t, ask[string](tb, `getComputedStyle(document.querySelector(".body a[href^=http]"), "::after").content`), "↗")
	assert.Equal(t, "none", ask[string](tb, `getComputedStyle(document.querySelector(".body p a[href^='queue.go']"), "::after").content`))
}
