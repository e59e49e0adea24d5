package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// closed asks whether the run below the sample's prediction is closed.
const closed = `document.querySelector(".predicted").hidden === "until-found"`

func TestARunIsClosedUntilItsReaderHasPredicted(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	page := p.url + "01-control-loop/index.html"
	tb.open(page)
	assert.True(t, ask[bool](tb, closed))
	assert.Equal(t, "FIGURE P", ask[string](tb, `[...document.querySelector(".predicted").children].map((e) => e.tagName).join(" ")`),
		"the run, and the paragraph that tells it")

	tb.do(chromedp.Click(chromedp.CSS("#q-its-gone summary")))
	tb.wait(`!document.querySelector(".predicted").hidden`)
	assert.Equal(t, 3, ask[int](tb, `document.querySelectorAll(".predict ~ .question:is(#q-its-gone, #q-it-waits, #q-it-runs)[open]").length`), "each is told why")
	assert.True(t, ask[bool](tb, `document.querySelector("#q-its-gone").matches(".mine")`))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".ways").length`))

	tb.open(page)
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".predicted[hidden]").length`), "what was answered stays open")
}

func TestAPredictionIsMadeByTheKeyboard(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.do(chromedp.Focus(chromedp.CSS("#q-it-waits summary")))
	tb.press(enter)
	tb.wait(`!document.querySelector(".predicted").hidden`)
}

func TestARunIsShownToWhoeverAsks(t *testing.T) {
	t.Parallel()
	const page = "01-control-loop/index.html"
	for name, by := range map[string]struct{ address, then string }{
		"by its button":         {then: `document.querySelector(".ways button").click()`},
		"by its address":        {address: "#testdata/life.scene:waits"},
		"by that of a section":  {address: "#deciding"},
		"by finding a word":     {then: `document.querySelector(".predicted").dispatchEvent(new Event("beforematch"))`},
		"by a link on its page": {then: `location.hash = "testdata/life.scene:waits"`},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTab(t, 390)
			tb.open(sampleSite(t).url + page + by.address) // each with no answer of another's
			if by.then != "" {
				assert.True(t, ask[bool](tb, closed))
				ask[any](tb, by.then)
			}
			tb.wait(`document.querySelector(".predicted")?.hidden === false`)
		})
	}
}

func TestWhoWantsNoQuestionsIsAskedOnNoPage(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	page := p.url + "01-control-loop/index.html"
	tb.open(page)
	tb.do(chromedp.Click(chromedp.CSS(".ways button:last-child")))
	tb.wait(`!document.querySelector(".predicted").hidden`)
	assert.Equal(t, "false", ask[string](tb, `document.querySelector(".asking button").ariaPressed`))
	ask[any](tb, `preferences.set("predicted", "")`)
	tb.open(page)
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".predicted[hidden]").length`))

	tb.do(chromedp.Click(chromedp.CSS(".asking button")))
	tb.wait(`document.querySelector(".predicted").hidden === "until-found"`)
	assert.Equal(t, "true", ask[string](tb, `document.querySelector(".asking button").ariaPressed`))
}

func TestWithoutScriptsAndOnPaperARunIsOpen(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	page := p.url + "01-control-loop/index.html"
	const height = `document.getElementById("testdata/life.scene:waits").getBoundingClientRect().height`
	tb.open(page)
	tb.print()
	assert.Greater(t, ask[float64](tb, height), 40.0)
	tb.runScripts(false)
	tb.open(page)
	assert.Greater(t, ask[float64](tb, height), 40.0)
}
