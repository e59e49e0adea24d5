package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// closed asks whether the run below the sample's prediction is closed.
const closed = `document.querySelector(".predicted").hidden === "until-found"`

// predicts is the sample's page with a prediction.
const predicts = "01-control-loop/index.html"

func TestARunIsClosedUntilItsReaderHasPredicted(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + predicts)
	assert.True(t, ask[bool](tb, closed))
	assert.Equal(t, "FIGURE P ASIDE", ask[string](tb, `[...document.querySelector(".predicted").children].map((e) => e.tagName).join(" ")`),
		"the run, and what tells it")
	ask[any](tb, `preferences.set("predicted", "another-tab’s")`)

	tb.do(chromedp.Click(chromedp.CSS("#q-its-gone summary")))
	tb.wait(`!document.querySelector(".predicted").hidden`)
	assert.Equal(t, 3, ask[int](tb, `document.querySelectorAll(".predict ~ .question:is(#q-its-gone, #q-it-waits, #q-it-runs)[open]").length`), "each is told why")
	assert.True(t, ask[bool](tb, `document.querySelector("#q-its-gone").matches(".mine")`))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".ways").length`))
	assert.Regexp(t, "^another-tab’s .*q-its-gone$", ask[string](tb, `preferences.get("predicted")`))

	tb.open(p.url + predicts)
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".predicted[hidden]").length`), "what was answered stays open")
}

func TestAPredictionIsMadeByTheKeyboard(t *testing.T) {
	t.Parallel()
	for focused, then := range map[string]string{
		"#q-it-waits summary": `document.activeElement.closest(".mine")`,
		".ways button":        `document.activeElement.matches(".predicted")`, // its button is gone
	} {
		tb := newTab(t, 1440)
		tb.open(sampleSite(t).url + predicts)
		tb.do(chromedp.Focus(chromedp.CSS(focused)))
		tb.press(enter)
		tb.wait(`!document.querySelector(".predicted").hidden`)
		assert.True(t, ask[bool](tb, "!!"+then), focused)
	}
}

func TestARunIsShownToWhoeverAsks(t *testing.T) {
	t.Parallel()
	const search = `history.replaceState(null, "", "index.html")` // as the search names the page
	for name, by := range map[string]struct{ address, then string }{
		"by its button":         {then: `document.querySelector(".ways button").click()`},
		"by its address":        {address: "#testdata/life.scene:waits"},
		"by that of a section":  {address: "#deciding"},
		"by finding a word":     {then: `document.querySelector(".predicted").dispatchEvent(new Event("beforematch"))`},
		"by finding an answer":  {then: `document.querySelector("#q-its-gone").open = true`},
		"by a link on its page": {then: `location.hash = "testdata/life.scene:waits"`},
		"by a search on it":     {then: search},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTab(t, 390)
			tb.open(sampleSite(t).url + predicts + by.address) // each with no answer of another's
			if by.then != "" {
				assert.True(t, ask[bool](tb, closed))
			}
			ask[any](tb, by.then)
			if by.then == search {
				tb.search("compare and act")
				tb.press(enter)
			}
			tb.wait(`document.querySelector(".predicted")?.hidden === false`)
			assert.Zero(t, ask[int](tb, `document.querySelectorAll(".mine").length`), "nobody has predicted")
		})
	}
}

func TestARunStaysClosedForWhoComesBack(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + predicts)
	ask[bool](tb, `document.querySelector("#deciding").scrollIntoView(), true`)
	tb.wait(`localStorage.places?.includes("#deciding")`)
	tb.open(p.url + "index.html")
	tb.do(chromedp.Click(chromedp.CSS(".resume a")))
	tb.wait(`location.hash === "#deciding" && ` + closed)

	ask[bool](tb, `localStorage.clear(), location.reload(), true`)
	tb.wait(`document.readyState === "complete" && performance.getEntriesByType("navigation")[0].type === "reload"`)
	assert.True(t, ask[bool](tb, closed), "by a page that is loaded again")
}

func TestTheTextOfAPageIsNoSectionOfIt(t *testing.T) {
	t.Parallel()
	tb := newTab(t, 1440)
	tb.open(sampleSite(t).url + predicts)
	ask[any](tb, `document.querySelectorAll(".body :is(h2, h3)").forEach((heading) => heading.remove()),
		location.hash = "text", dispatchEvent(new Event("arrived"))`)
	assert.True(t, ask[bool](tb, closed), "though the prediction is in none either")
}

func TestWhoWantsNoQuestionsIsAskedOnNoPage(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb, other := newTab(t, 1440), newTab(t, 1440)
	const button, asking = ".ways button:last-child", ".mode + .mode button"
	tb.open(p.url + predicts)
	other.open(p.url + predicts)
	tb.do(chromedp.Click(chromedp.CSS(button)))
	tb.wait(`!document.querySelector(".predicted").hidden`)
	assert.Equal(t, "false", ask[string](tb, `document.querySelector("`+asking+`").ariaPressed`))
	tb.open(p.url + predicts)
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".predicted[hidden]").length`))

	other.wait(`preferences.get("predictions") === "shown"`)
	other.do(chromedp.Click(chromedp.CSS(button)))
	other.wait(`!document.querySelector(".predicted").hidden`)
	assert.Equal(t, "shown", ask[string](other, `preferences.get("predictions")`), "said twice, it holds")

	tb.do(chromedp.Click(chromedp.CSS(asking)))
	tb.wait(`document.querySelector(".predicted").hidden === "until-found"`) // it was shown, and not answered
	assert.Equal(t, "true", ask[string](tb, `document.querySelector("`+asking+`").ariaPressed`))
}

func TestWhereNothingIsKeptAPageAsksNoMore(t *testing.T) {
	t.Parallel()
	tb := newTab(t, 1440)
	tb.open(sampleSite(t).url + predicts)
	assert.True(t, ask[bool](tb, closed))
	assert.False(t, ask[bool](tb, `Object.defineProperty(globalThis, "localStorage", { get() { throw new Error("off"); } }),
		navigation.onnavigate = () => { globalThis.left = true; },
		document.querySelector(".ways button:last-child").click(),
		!!globalThis.left || !!document.querySelector(".predicted").hidden`))
}

func TestWhatTheShortPathLeavesOutIsNotOpened(t *testing.T) {
	t.Parallel()
	tb := newTab(t, 1440)
	tb.open(sampleSite(t).url + predicts + "?path=short")
	tb.wait(`!!document.querySelector(".path")`)
	ask[any](tb, `document.querySelector(".mode + .mode button").click()`)
	assert.False(t, ask[bool](tb, `document.querySelector(".predicted").checkVisibility()`))
}

func TestWithoutScriptsAndOnPaperARunIsOpen(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	const height = `document.getElementById("testdata/life.scene:waits").getBoundingClientRect().height`
	tb.open(p.url + predicts)
	tb.print()
	assert.Greater(t, ask[float64](tb, height), 40.0)
	ask[any](tb, `document.head.prepend(element("style", { textContent: ":where([hidden]) { display: none }" }))`)
	assert.Greater(t, ask[float64](tb, height), 40.0, "also where until-found is as hidden as all else")
	tb.runScripts(false)
	tb.open(p.url + predicts)
	assert.Greater(t, ask[float64](tb, height), 40.0)
}
