package browser

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// standsIn has a worker answer at once with the scene that it is sent, or when the test
// calls the function release, and no engine is fetched.
const standsIn = `caches.open("engine").then((store) => store.put(new URL("assets/" + engine.name, location.href).href, new Response("kept"))).then(() => {
	window.waits = [];
	window.Worker = class {
		postMessage({ scene }) {
			const answer = () => this.onmessage?.({ data: scene === undefined ? { module: {} } : { played: scene.replace(/(part: what the reader typed\n)([^]*)/, (_, above, typed) => above + typed.trim().split("\n").join((window.prints ?? "") + "\n\n") + (window.prints ?? "") + "\n") } });
			if (window.holds && scene) waits.push(answer); else setTimeout(answer);
		}
		terminate() { this.onmessage = null; }
	};
	window.release = () => { window.holds = false; waits.splice(0).forEach((one) => one()); };
	return true;
})`

// button presses a button of the page.
func (tb *tab) button(text string) {
	tb.t.Helper()
	found := `[...document.querySelectorAll("#play button")].find((b) => b.textContent === ` + quote(text) + `)`
	tb.wait("!!" + found)
	ask[bool](tb, found+".click() ?? true")
}

const (
	edited = `document.querySelector(".cm-content")?.innerText.trim()`
	told   = `(document.querySelector(".files [role=status]:not([hidden])")?.textContent ?? "")`
	alert  = `(document.querySelector(".files [role=alert]:not([hidden])")?.textContent ?? "")`
)

// typesInto opens a file and types into it, in place of what is there.
func (tb *tab) typesInto(file, text string) {
	tb.t.Helper()
	tb.opensFile(file)
	tb.retypes(text)
	tb.wait(edited + ` === ` + quote(text))
}

const asksBeforeItGoes = `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`

// opensFile opens a file, which may have been changed.
func (tb *tab) opensFile(file string) {
	tb.t.Helper()
	found := `[...document.querySelectorAll(".files button")].find((b) => b.textContent.split(",")[0] === ` + quote(file) + `)`
	tb.wait("!!" + found)
	ask[bool](tb, found+".click() ?? true")
	tb.wait(`document.activeElement.className.includes("cm-content") && document.activeElement.ariaLabel === ` + quote("manifests/"+file))
}

func (tb *tab) retypes(text string) {
	tb.t.Helper()
	ask[bool](tb, `document.execCommand("selectAll"), document.execCommand("insertText", false, `+quote(text)+`)`)
}

// chooses chooses another beginning.
func (tb *tab) chooses(begins string) {
	tb.t.Helper()
	ask[bool](tb, `(() => { const choice = document.querySelector("#play select"); choice.value = `+quote(begins)+`; return choice.dispatchEvent(new Event("change")); })()`)
}

// reloads loads the page again.
func (tb *tab) reloads() {
	tb.t.Helper()
	ask[bool](tb, `window.old = true, location.reload(), true`)
	tb.wait(`!window.old && !!document.querySelector("#play .live [role=status]")`)
}

func TestPlayWhatIsTypedIntoAFileIsPutBack(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html")
	tb.typesInto("web.yaml", "mine: 1")
	tb.chooses("taints")
	assert.Empty(t, ask[string](tb, told), "it was typed into another's")
	tb.typesInto("web.yaml", "tainted: 1")
	tb.reloads()
	assert.Equal(t, "Put back as you left it, and not applied: web.yaml.", ask[string](tb, told))
	tb.opensFile("web.yaml")
	assert.Equal(t, "tainted: 1", ask[string](tb, edited))
	assertAccessible(t, tb)

	link := run{Begins: "taints", Lines: []string{"kubectl get pods"}}.link(t)
	ask[bool](tb, `!!(location.hash = `+quote(link)+`)`)
	tb.wait(printedLog + `.textContent.includes("get pods")`)
	assert.Empty(t, ask[string](tb, told), "the link has its own")
	tb.typesInto("service.yaml", "of: the link")
	tb.chooses("three-nodes")
	tb.wait(told + ` !== ""`)
	tb.opensFile("web.yaml")
	assert.Equal(t, "mine: 1", ask[string](tb, edited))
	ask[bool](tb, "history.back() ?? true")
	tb.wait(told + `.includes("service.yaml")`)
	tb.button("service.yaml, changed")
	tb.wait(edited + ` === "of: the link"`)
	tb.button("discard the change")
	tb.wait(edited + `.startsWith("apiVersion")`)
	tb.reloads()
	assert.Empty(t, ask[string](tb, told), "it was discarded")
	tb.opens(p.url + "play.html")
	assert.Contains(t, ask[string](tb, told), "web.yaml", "on another day, too")
}

func TestPlayWhatIsTypedGoesOnWithItsRun(t *testing.T) {
	tb := playing(t, 1440)
	tb.typesInto("web.yaml", "mine: 1")
	tb.opensFile("service.yaml")
	ask[bool](tb, `window.holds = true`)
	tb.retypes("applied: 1")
	tb.button("apply")
	tb.wait("waits.length === 1")
	ask[bool](tb, `document.querySelector(".cm-content").focus() ?? true`)
	tb.retypes("applied: 2")
	ask[bool](tb, "release() ?? true")
	tb.wait(printedLog + `.textContent.includes("kubectl apply -f manifests/service.yaml")`)
	tb.wait(`location.hash !== ""`)
	tb.reloads()
	assert.Contains(t, ask[string](tb, told), "service.yaml, web.yaml", "the first was changed while it was applied")
	tb.opensFile("service.yaml")
	assert.Equal(t, "applied: 2", ask[string](tb, edited))
	ask[bool](tb, standsIn)
	tb.button("save")
	tb.wait(`!document.querySelector(".files").textContent.includes("service.yaml, changed")`)
	tb.button("start over")
	tb.wait(`location.hash === ""`)
	assert.Contains(t, ask[string](tb, told), ": web.yaml.")
}

func TestPlayEventsOfAKindComeLateByAButton(t *testing.T) {
	tb := playing(t, 390)
	tb.wait(`!!document.querySelector("#play [aria-label='which kind']")`)
	ask[bool](tb, `!!(document.querySelector("#play [aria-label='which kind']").value = "replicasets")`)
	assert.Equal(t, "", ask[string](tb, `[...document.querySelectorAll("#play .words button")].map((one) => one.textContent).filter((text, i, all) => all.indexOf(text) !== i).join()`), "two buttons with one name")
	tb.button("a minute late")
	tb.wait(printedLog + `.textContent.includes("late replicasets 1m")`)
	assertAccessible(t, tb)
	assert.False(t, ask[bool](tb, "document.documentElement.scrollWidth > innerWidth"))
}

func TestPlayTwoTabsLoseNothingOfEachOther(t *testing.T) {
	p := playWithoutEngine(t)
	one, two := newTab(t, 1440), newTab(t, 1440)
	one.opens(p.url + "play.html")
	two.opens(p.url + "play.html")
	one.typesInto("web.yaml", "of: one")
	two.typesInto("web.yaml", "of: two")
	one.opensFile("service.yaml")
	one.retypes("also: one")
	for tb, own := range map[*tab]string{one: "of: one", two: "of: two"} {
		tb.reloads()
		assert.Contains(t, ask[string](tb, told), "service.yaml, web-2.yaml, web.yaml")
		tb.opensFile("web.yaml")
		assert.Equal(t, own, ask[string](tb, edited))
	}
	two.opensFile("web-2.yaml")
	two.retypes("of: both")
	two.opensFile("service.yaml")
	two.button("discard the change")
	one.opensFile("service.yaml")
	one.retypes("still: one")
	for _, end := range []string{"about:blank", p.url + "play.html"} {
		one.open(end)
	}
	one.wait(told + `.includes("service.yaml, web-2.yaml")`)
	one.opensFile("service.yaml")
	assert.Equal(t, "still: one", ask[string](one, edited))
}

func TestPlayATabThatIsPutAwayHasWhatWasTyped(t *testing.T) {
	p := playWithoutEngine(t)
	one, two := newTab(t, 1440), newTab(t, 1440)
	one.opens(p.url + "play.html")
	one.typesInto("web.yaml", "of: one")
	ask[bool](one, `dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
	ask[bool](one, `addEventListener("storage", (event) => event.stopImmediatePropagation(), true) ?? true`) // it hears of nothing meanwhile
	two.opens(p.url + "play.html")
	two.typesInto("web.yaml", "of: two")
	ask[bool](one, `localStorage.length && dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
	one.reloads()
	one.opensFile("web.yaml")
	assert.Equal(t, "of: one", ask[string](one, edited))
	one.opensFile("web-2.yaml")
	assert.Equal(t, "of: two", ask[string](one, edited))
}

func TestPlayWhatIsNotKeptIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ does, says string }{
		"full": {`localStorage.setItem("a", "a".repeat(5 * 1024 * 1024 - 1100)), localStorage.setItem("b", "b".repeat(1090)), true`, "unless you apply or save it: the browser has no room left."},
		"off":  {`!!Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("off", "SecurityError"); } })`, "unless you apply or save it: the browser doesn’t let this page keep anything."},
	} {
		t.Run(name, func(t *testing.T) {
			p := playWithoutEngine(t)
			tb := newTab(t, 1440)
			tb.opens(p.url + "play.html")
			ask[bool](tb, c.does)
			tb.typesInto("web.yaml", "mine: much more than there's room for, wherever there is none")
			assert.Contains(t, ask[string](tb, alert), c.says)
			assertAccessible(t, tb)
			assert.True(t, ask[bool](tb, asksBeforeItGoes))
			tb.chooses("taints")
			assert.Empty(t, ask[string](tb, told))
			tb.chooses("three-nodes")
			assert.Contains(t, ask[string](tb, told), "web.yaml", "while the page is there, it is")
			tb.opensFile("web.yaml")
			assert.Contains(t, ask[string](tb, edited), "mine: much more")
			tb.button("discard the change")
			assert.False(t, ask[bool](tb, asksBeforeItGoes))
		})
	}
}

func TestPlayWithoutWebAssemblyWhatWasTypedStays(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html")
	ask[bool](tb, `delete globalThis.WebAssembly`)
	tb.typesInto("web.yaml", "mine: 1")
	tb.button("apply")
	tb.wait(`document.querySelector("#play .live .wrong")?.textContent.includes("no WebAssembly")`)
	tb.reloads()
	tb.opensFile("web.yaml")
	assert.Equal(t, "mine: 1", ask[string](tb, edited))
}
