package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

const crossing = "testdata/lanes-1-0.json:lanes"

func TestLiveASliderAsksBeforeItFetches(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + "03-rolling-update/index.html")
	p := prompt{tb, crossing}
	assert.Zero(t, s.requests("slider.js")+s.requests("chapter03"), "nothing is asked for before the reader does")
	ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	says := p.find(".slider [role=status]")
	tb.wait(says + `.textContent.includes("fetched once")`)
	assert.Zero(t, s.requests("chapter03"), "it asks before it fetches")
	assert.Equal(t, "5", p.text("output"))
	assertAccessible(t, tb)
	console, _ := tb.said()
	assert.Empty(t, console)
}
