package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// slid moves a slider's control by a key, and lets it fetch.
func slid(tb *tab, s *liveSite, page, id, control, key string) prompt {
	tb.t.Helper()
	tb.open(s.url + page)
	p := prompt{tb, id}
	ask[bool](tb, p.find(control)+".focus() ?? true")
	tb.press(key)
	fetch := p.find(".slider [role=status] button")
	tb.wait(fetch + `?.textContent === "fetch it"`)
	ask[bool](tb, fetch+".focus() ?? true")
	tb.press(enter)
	return p
}

func TestLiveADecisionIsDrawnAnew(t *testing.T) {
	tb := newTab(t, 390)
	p := slid(tb, serveLive(t), "06-daemonset/scheduler/index.html", "testdata/decision.json:decision", "[name=tainted]", "no")
	says := p.find(".slider [role=status]")
	tb.wait(says + `.textContent.includes("is chosen")`)
	assert.NotContains(t, p.text(".fig"), "TaintToleration by a taint")
	ask[bool](tb, p.find("[name=cpu]")+".focus() ?? true")
	tb.press(kb.End)
	assert.False(t, ask[bool](tb, p.find("figcaption")+".checkVisibility()"), "what it says is so in the recorded run")
	tb.wait(says + `.textContent.includes("0/5 nodes are available")`)
	assert.LessOrEqual(t, ask[int](tb, "document.documentElement.scrollWidth"), 390)
	assertAccessible(t, tb)
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestLiveABinderIsKilledElsewhere(t *testing.T) {
	tb := newTab(t, 390)
	p := slid(tb, serveLive(t), "05-storage/index.html", "testdata/rival.json:binding", "[name=after]", kb.ArrowRight)
	tb.wait(p.find(".slider [role=status]") + `.textContent.includes("killed after write 3")`)
	assert.Contains(t, p.text(".fig"), "killed after write 3")
	assert.LessOrEqual(t, ask[int](tb, "document.documentElement.scrollWidth"), 390)
	assertAccessible(t, tb)
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestLiveALogIsCutElsewhere(t *testing.T) {
	tb := newTab(t, 390)
	p := slid(tb, serveLive(t), "07-mysql-cluster/replication/index.html", "testdata/cut.json:log", "[name=cut]", kb.ArrowLeft)
	tb.wait(p.find(".slider [role=status]") + `.textContent.includes("296 are left")`)
	assert.Contains(t, p.text(".fig"), "cut after byte 296")
	ask[bool](tb, p.find("[name=cut]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	tb.wait(p.find("figcaption") + ".checkVisibility()")
	assert.Contains(t, p.text(".fig"), "cut after byte 297", "the recorded run is there again")
	assert.LessOrEqual(t, ask[int](tb, "document.documentElement.scrollWidth"), 390)
	assertAccessible(t, tb)
	console, _ := tb.said()
	assert.Empty(t, console)
}

const crossing = "testdata/lanes-1-0.json:lanes"

func TestLiveASliderDrawsItsFigureAnewByTheKeyboardAlone(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + "03-rolling-update/index.html")
	p := prompt{tb, crossing}
	assert.Zero(t, s.requests("slider.js")+s.requests("chapter03"), "nothing is asked for before the reader does")
	recorded := p.text(".fig")
	ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
	tb.press(kb.ArrowRight)
	says := p.find(".slider [role=status]")
	tb.wait(says + `.textContent.includes("fetched once")`)
	assert.Zero(t, s.requests("chapter03"), "it asks before it fetches")
	assert.Equal(t, "5", p.text("output"))
	assertAccessible(t, tb)

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
	assert.LessOrEqual(t, ask[int](tb, "document.documentElement.scrollWidth"), 390)
	assertAccessible(t, tb)

	fetched := s.requests("")
	ask[bool](tb, p.find("[name=surge]")+".focus() ?? true")
	tb.press("0")
	tb.wait(says + ".textContent.includes(\"may not be 0 when `maxSurge` is 0\")")
	assert.Equal(t, fetched, s.requests(""), "what is fetched once is all")
	console, _ := tb.said()
	assert.Empty(t, console)
}
