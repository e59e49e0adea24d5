package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

const (
	aLoopOnALoop = "02-deployment/the-deployment/index.html"
	created      = "testdata/deployment.scene:create"
)

// inside is what a reader sees who looks into a transcript.
type inside struct {
	prompt
	tb *tab
}

// looksInside opens the views of a transcript by the keyboard.
func (p prompt) looksInside() inside {
	p.tb.t.Helper()
	p.button("look inside")
	in := inside{p, p.tb}
	in.tb.wait(`!!document.querySelector("dialog.inside .look")?.dataset.n`)
	return in
}

// shows waits for a text in one of the views.
func (in inside) shows(view, text string) {
	in.tb.t.Helper()
	in.tb.wait(`document.querySelector("dialog.inside .panel.` + view + `")?.textContent.includes(` + quote(text) + `)`)
}

// presses goes to what the selector finds with a text, and presses Enter.
func (in inside) presses(selector, text string) {
	in.tb.t.Helper()
	found := `[...document.querySelectorAll(` + quote("dialog.inside "+selector) + `)].find((b) => b.textContent.includes(` + quote(text) + `))`
	in.tb.wait("!!" + found)
	ask[bool](in.tb, found+".focus() ?? true")
	in.tb.press(enter)
}

// pods waits until so many Pods stand in the drawing.
func (in inside) pods(n string) {
	in.tb.t.Helper()
	in.tb.wait(`document.querySelectorAll("dialog.inside .look .pod:not(.free)").length === ` + n)
}

// closes closes the views, and finds the focus where it was.
func (in inside) closes(key string) {
	in.tb.t.Helper()
	in.tb.press(key)
	in.tb.wait(`!document.querySelector("dialog") && document.activeElement === ` + in.find(".live input"))
}

func TestLiveLookInsideATranscriptByTheKeyboardAlone(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, aLoopOnALoop, created)
	assert.Zero(t, s.requests("look."), "nothing is asked for before the reader does")
	p.types("kubectl scale deployment nginx-deployment --replicas=1")
	p.answers("scaled")
	in := p.looksInside()
	in.shows("changes", "kubectl create")
	in.pods("1")
	assert.Contains(t, ask[string](tb, `document.querySelector("dialog").ariaLabel`), "deployment.scene")
	assert.True(t, ask[bool](tb, `document.querySelector("dialog").contains(document.activeElement)`))
	assertAccessible(t, tb)

	// Why did this happen? A write leads back to what was typed.
	in.presses(".changes button", "replicaset changed Pod default/nginx-deployment")
	for _, step := range []string{
		"It began with kubectl scale.", "the ReplicaSet cache heard of", "replicaset’s queue got", "kubectl scale asked PATCH",
	} {
		in.shows("why", step)
	}
	in.presses(".why button", "kubectl scale asked PATCH")
	in.tb.wait(`!document.querySelector("dialog.inside .look .why").textContent.includes("replicaset changed Pod")`) // its chain has gone
	in.shows("why", "What it led to")
	in.shows("why", "kubectl scale changed Deployment")
	assertAccessible(t, tb)

	// The slider leads back to the cluster as it was.
	in.presses(".why button", "go to this moment")
	in.pods("3")
	slider := `document.querySelector("dialog.inside .strip")`
	assert.Contains(t, ask[string](tb, slider+`.getAttribute("aria-valuetext")`), "kubectl scale asked PATCH")
	ask[bool](tb, slider+".focus() ?? true")
	tb.press(kb.Home)
	in.pods("0")
	tb.press(kb.End)
	in.pods("1")
	in.presses(".cluster .pod", "nginx-deployment")
	in.shows("object", "kind: Pod")
	in.closes(escape)
	assert.Equal(t, 1, s.requests("look.js"))

	tb.resize(390)
	tb.prefer("dark")
	in = p.looksInside()
	in.pods("1") // a phone begins with the cluster
	assertAccessible(t, tb)
	assert.False(t, ask[bool](tb, "document.documentElement.scrollWidth > innerWidth"))
	ask[bool](tb, `document.querySelector("dialog.inside header button").focus() ?? true`)
	in.closes(enter)
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestLiveLookWhatTheReaderBreaksStandsInTheLanes(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, aLoopOnALoop, created)
	for _, line := range []string{"drop deployment", "kubectl scale deployment nginx-deployment --replicas=5", "advance 1m"} {
		p.types(line)
		p.answers(line)
	}
	in := p.looksInside()
	in.shows("changes", "deployment: an event is dropped: default/nginx-deployment is not in the queue")
	in.pods("3")
	in.closes(escape)

	for _, line := range []string{"conflict replicaset", "resync", "advance 1s"} {
		p.types(line)
		p.answers(line)
	}
	in = p.looksInside()
	in.pods("5")
	in.shows("changes", "replicaset: refused, a conflict: ReplicaSet default/nginx-deployment")
	in.presses(".changes button", "deployment changed ReplicaSet default/nginx-deployment")
	in.shows("why", "cache told again of default/nginx-deployment")
	in.closes(escape)

	p.types(`kubectl run picky --image=nginx:1.27 --overrides='{"spec":{"nodeSelector":{"disk":"ssd"}}}'`)
	p.answers("pod/picky created")
	in = p.looksInside()
	in.presses(".cluster .pod", "picky")
	in.shows("object", "didn't match Pod's node affinity/selector")
	in.presses("nav button", "Waits for?")
	in.shows("waits", "kubectl label nodes node-1 disk=ssd")
	assertAccessible(t, tb)
	in.closes(escape)
	p.button("pause")
	assert.Equal(t, "pause", p.line())
}
