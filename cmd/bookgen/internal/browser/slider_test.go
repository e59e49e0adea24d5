package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

const crossing = "testdata/lanes-1-0.json:lanes"

func TestLiveASliderDrawsItsFigureAnewByTheKeyboardAlone(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + "03-rolling-update/index.html#" + crossing) // which opens it
	p := prompt{tb, crossing}
	assert.Zero(t, s.requests("slider.js")+s.requests("sliders-"), "nothing is asked for before the reader does")
	recorded := p.text(".fig")
	ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	says := p.find(".slider [role=status]")
	tb.wait(says + `.textContent.includes("fetched once")`)
	ask[bool](tb, p.find("[name=surge]")+".focus() ?? true")
	tb.press("0")
	tb.wait(says + ".textContent.includes(\"may not be 0 when `maxSurge` is 0\")")
	assert.True(t, ask[bool](tb, p.find(".slider [role=status] button")+" === null"), "what is refused needs no engine")
	tb.press(kb.ArrowDown)
	tb.wait(says + `.textContent.includes("fetched once")`)
	assert.Zero(t, s.requests("sliders-"), "it asks before it fetches")
	assert.Equal(t, "5", p.text("output"))
	assertAccessible(t, tb)
	ask[bool](tb, p.find(".slider [role=status] button + button")+".click() ?? true")
	assert.Equal(t, "4", p.text("output"), "who says no has the form of the figure that's there")
	ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	tb.wait(says + `.textContent.includes("fetched once")`)

	release := s.hold()
	t.Cleanup(release)
	ask[bool](tb, p.find(".slider [role=status] button")+".focus() ?? true")
	tb.press(enter)
	tb.wait(`!!` + p.find(".slider [role=status] button") + ` && ` + says + `.textContent.includes("cancel")`)
	ask[bool](tb, p.find(".slider [role=status] button")+".click() ?? true")
	tb.wait(says + `.textContent.includes("stopped")`)
	release()

	ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	tb.wait(p.find(".fig") + `.textContent !== ` + quote(recorded) + ` && ` + says + `.textContent.includes("12 lanes")`)
	assert.Equal(t, "Step by step", p.text(".scrub"), "the new figure has steps, too")
	assert.False(t, ask[bool](tb, p.find("figcaption")+".checkVisibility()"), "what it says is so in the recorded run")
	assert.LessOrEqual(t, ask[int](tb, "document.documentElement.scrollWidth"), 390)
	assertAccessible(t, tb)

	fetched := s.requests("")
	ask[bool](tb, p.find("[name=surge]")+".focus() ?? true")
	tb.press("0")
	tb.wait(says + ".textContent.includes(\"may not be 0 when `maxSurge` is 0\")")
	assert.Equal(t, fetched, s.requests(""), "what is fetched once is all")
	assert.True(t, ask[bool](tb, p.find(".fig")+".hidden"))
	assert.True(t, ask[bool](tb, p.find(".scrub")+" === null"), "there's nothing to go through step by step")
	console, _ := tb.said()
	assert.Empty(t, console)
}

// Where a prediction stands before a slider's figure, its reader sets the values first.
func TestLiveASliderBehindAPredictionDrawsTheRunOfItsReader(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + "03-rolling-update/index.html")
	const form, option = `document.querySelector(".predict + .slider")`, "#q-neither-each-step-is-a-start"
	tb.wait("!!" + form)
	ask[bool](tb, form+".replicas.focus() ?? true")
	tb.press(kb.ArrowRight)
	assert.Equal(t, "5", ask[string](tb, form+`.querySelector("output").value`))
	ask[bool](tb, form+".surge.focus() ?? true")
	tb.press("0")
	assert.Contains(t, ask[string](tb, form+`.querySelector("[role=status]").textContent`), "may not be 0 when `maxSurge` is 0")
	tb.press(kb.ArrowDown)
	assert.Contains(t, ask[string](tb, form+`.querySelector("[role=status]").textContent`), "Set your own values")
	assert.Zero(t, s.requests("slider.js")+s.requests("sliders-"), "nothing is drawn before the reader has predicted")
	assertAccessible(t, tb)

	tb.do(chromedp.Click(chromedp.CSS(option + " summary")))
	p := prompt{tb, crossing}
	tb.wait("!!" + p.find(".slider [role=status] button"))
	assert.True(t, ask[bool](tb, form+" === null"))
	ask[bool](tb, p.find(".slider [role=status] button")+".click() ?? true")
	tb.wait(p.find(".slider [role=status]") + `.textContent.includes("10 lanes")`)
	assert.False(t, ask[bool](tb, p.find("figcaption")+".checkVisibility()"), "what it says is so in the recorded run")
	console, _ := tb.said()
	assert.Empty(t, console)

	tb.open(s.url + "03-rolling-update/index.html")
	tb.wait("!!" + p.find(".slider"))
	assert.True(t, ask[bool](tb, form+" === null"), "what was answered is below its question")
}
