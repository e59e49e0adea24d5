package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

const (
	loopSum  = `document.querySelector(".loop .sum").textContent`
	loopSaid = `[...document.querySelectorAll(".acts li")].map((act) => act.textContent)`
	// loopGone counts the Pods that are drawn as gone, from the left, from 1; 0: none.
	loopGone = `[...document.querySelectorAll(".actual rect, .added")].findIndex((pod) => getComputedStyle(pod).opacity === "0") + 1`
)

func TestAPodOfTheFrontPageIsDeletedAndTheRunIsPlayed(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, width := range []int64{320, 1440} {
			tb := newTab(t, width)
			tb.open(p.url + "index.html")
			recorded := ask[[]string](tb, loopSaid)
			tb.wait(`document.querySelectorAll(".loop button").length === 3`)
			high := ask[float64](tb, `document.querySelector(".title").getBoundingClientRect().height`)
			// With motion, and a clock that the test turns.
			ask[bool](tb, `(window.matchMedia = () => ({ matches: false }),
				window.setInterval = (next) => { window.turn = next; return 0; },
				window.clearInterval = () => { window.turn = null; }, true)`)
			for range 2 { // it can be played again
				ask[bool](tb, `(document.querySelectorAll(".loop button")[1].focus(), true)`)
				tb.press(kb.Enter)
				assert.Equal(t, "3≠2", ask[string](tb, loopSum))
				assert.Equal(t, 2, ask[int](tb, loopGone))
				for n := 1; n < len(recorded); n++ {
					assert.Equal(t, recorded[:n], ask[[]string](tb, loopSaid))
					ask[bool](tb, `(turn(), true)`)
				}
				assert.Equal(t, recorded, ask[[]string](tb, loopSaid))
				assert.Equal(t, "3=3", ask[string](tb, loopSum))
				assert.Zero(t, ask[int](tb, loopGone))
				assert.True(t, ask[bool](tb, `window.turn === null`), "it has come to its end")
			}
			assert.InDelta(t, high, ask[float64](tb, `document.querySelector(".title").getBoundingClientRect().height`), 0.01, "nothing is moved")
			assert.Empty(t, ask[[]string](tb, noWiderThanTheWindow.against))
			assertAccessible(t, tb)

			tb.do(chromedp.Click(chromedp.CSS(".acts li:nth-child(2) a")))
			tb.wait(`document.querySelector(":target") !== null`)
			assert.Regexp(t, `(?i)add|create`, ask[string](tb, `document.querySelector(":target").textContent`), "the function that the line is of")
		}
	})
}

func TestWithoutMotionTheRunOfTheFrontPageIsThereAtOnce(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "index.html")
	tb.wait(`document.querySelectorAll(".loop button").length === 3`)
	tb.do(chromedp.Click(chromedp.CSS(".loop foreignObject:last-of-type button")))
	assert.Len(t, ask[[]string](tb, loopSaid), 3)
	assert.Equal(t, "3=3", ask[string](tb, loopSum))
}

func TestTheLoopIsAFigureWithoutScriptsAndOnPaper(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := withoutScripts(t, 1440)
	tb.do(chromedp.Navigate(p.url + "index.html"))
	assert.Equal(t, "3≠2", ask[string](tb, loopSum))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".loop button").length`))
	assert.False(t, ask[bool](tb, `document.querySelector(".acts").checkVisibility()`))

	tb = newTab(t, 1440)
	tb.open(p.url + "index.html")
	tb.print()
	assert.False(t, ask[bool](tb, `document.querySelector(".acts").checkVisibility()`))
}
