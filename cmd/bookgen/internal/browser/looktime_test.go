package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// tell shows a record that a script makes, of a loop that creates Pods: it has lane, run,
// write and add, which counts entries.
func tell(t *testing.T, width int64, script string) views {
	t.Helper()
	v := views{newTab(t, width)}
	v.open(serveLook(t))
	v.wait(`window.drawn?.()`)
	ask[bool](v.tab, `(() => {
		const entries = [];
		let n = 0;
		const add = (e) => { entries.push({ n: ++n, at: 1e15 + 1000 * n, ...e }); return n; };
		const lane = (name) => entries.push({ n: 0, at: 1e15, do: "lane", lane: name });
		const run = (lane, key, wrote) => {
			const n = add({ do: "run", lane, key, cause: add({ do: "key", lane, key }) });
			for (const name of wrote) write(lane, "Pod", name, n);
			add({ do: "end", lane, key, run: n, wrote: wrote.length });
		};
		const write = (lane, kind, name, cause, more) => add({ do: "write", lane, kind, key: "default/" + name, verb: "added", cause,
			is: kind === "Pod" ? { owner: "ReplicaSet default/" + name.split("-")[0], word: "Pending", mark: "waits" } : {}, ...more });
		document.querySelector(".look").remove();
		`+script+`;
		lookView(document.querySelector("main"), { whole: true, follow: (take) => { take(entries); }, versions: async () => [] });
		window.drawn = () => document.querySelector(".look").dataset.n === String(entries.at(-1).n)
			&& +document.querySelector(".picture .line").getAttribute("d").split("H")[1] > 300; // it knows its width
		return true;
	})()`)
	v.wait(`window.drawn()`)
	return v
}

// press presses the strip at so much of its length.
func (v views) pressStrip(share float64) {
	v.t.Helper()
	ask[bool](v.tab, fmt.Sprintf(`(() => {
		const strip = document.querySelector(".strip"), box = strip.getBoundingClientRect();
		for (const type of ["pointerdown", "pointerup"]) {
			strip.setPointerCapture = () => {}; // there is no such pointer
			strip.dispatchEvent(new PointerEvent(type, { clientX: box.left + box.width * %g, bubbles: true }));
		}
		return true;
	})()`, share))
}

const marks = `document.querySelectorAll(".picture .mark").length`

func TestLookLanesThatAreFoldedAwayTakeNoRoom(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset"), lane("taint-eviction");
		run("replicaset", "default/web", ["web-1", "web-2"]);
		for (let i = 0; i < 500; i++) add({ do: "key", lane: "taint-eviction", key: "default/" + i });`)
	assert.Equal(t, 2, ask[int](v.tab, marks))
	v.click(".quiet button", "and 1 more that did nothing")
	v.wait(marks + ` === 0`)
}

func TestLookRunsThatDidNothingAreDrawnOnceWhileThereAreTooMany(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset");
		run("replicaset", "default/web", ["web-1", "web-2"]);
		for (let i = 0; i < 300; i++) run("replicaset", "default/web", []);`)
	assert.Equal(t, 2, ask[int](v.tab, marks))
	assert.Equal(t, 2, v.count(".picture .bar"))
	assert.Contains(t, ask[string](v.tab, `document.querySelector(".picture").textContent`), "web ×300")
	v.pressStrip(0.02)
	v.wait(`document.querySelectorAll(".picture .bar.nothing").length > 2`)
}

func TestLookTheLanesAreZoomedAndPanned(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset");
		for (let i = 0; i < 300; i++) run("replicaset", "default/web", ["web-" + i]);`)
	window := `+document.querySelector(".strip .window").getAttribute("width")`
	before, narrow := ask[int](v.tab, marks), ask[float64](v.tab, window)
	ask[bool](v.tab, `document.querySelector(".picture").focus() ?? true`)
	v.press("---")
	v.wait(fmt.Sprintf("%s > %d && %s > %g", marks, 2*before, window, 2*narrow))
	v.press("www")
	v.wait(fmt.Sprintf("%s <= %d", marks, before+1))
	said := v.text(".time output")
	v.press("a")
	v.wait(`document.querySelector(".time output").innerText !== ` + quote(said))
	v.press("d")
	v.wait(`document.querySelector(".time output").innerText === ` + quote(said))
	ask[bool](v.tab, `document.querySelector(".strip").focus() ?? true`)
	v.press(kb.PageDown)
	v.wait(`document.querySelector(".strip").ariaValueNow < document.querySelector(".strip").ariaValueMax - 10`)
	ask[bool](v.tab, `document.querySelector(".picture").dispatchEvent(new WheelEvent("wheel", { deltaY: 400, ctrlKey: true, cancelable: true, bubbles: true }))`)
	v.wait(fmt.Sprintf("%s > %d", marks, 2*before))
	for _, share := range []float64{0.01, 0.3, 0.5, 0.99} {
		v.pressStrip(share)
		v.wait(fmt.Sprintf(`Math.abs(document.querySelector(".strip .moment").getAttribute("d").match(/[\d.]+/)[0] - %g) < 20`, 1000*share))
		assert.NotZero(t, ask[int](v.tab, marks))
	}
	assertAccessible(t, v.tab)
}

func TestLookWhatIsOfASelectedObjectIsSeenAlone(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset"), lane("job");
		write("kubectl", "ReplicaSet", "web", add({ do: "ask", lane: "kubectl create", text: "POST /replicasets" }));
		run("replicaset", "default/web", ["web-1", "web-2"]);
		for (let i = 0; i < 300; i++) run("job", "default/batch", ["batch-" + i]);
		write("kubelet", "Event", "e", 0, { is: { about: "Pod default/web-2", text: "Started" } });
		write("expiry", "Event", "e", 0, { verb: "deleted", is: undefined });`)
	assert.NotContains(t, v.text(".changes"), "undefined")
	v.click(".pod", "")
	v.click(".owners button", "ReplicaSet web")
	v.wait(`document.querySelectorAll(".changes li").length === 5`)
	for _, words := range []string{"kubectl create asked", "created ReplicaSet default/web", "created Pod default/web-1", "told of Pod default/web-2: Started"} {
		v.says(".changes", words)
	}
	v.wait(`document.querySelectorAll(".lanes button").length === 2 && ` + marks + ` === 4`)
	v.click(".loops .words button", "all")
	v.wait(`document.querySelectorAll(".lanes button").length === 3 && document.querySelectorAll(".changes li").length > 100`)
}

func TestLookASearchFindsWhatTheListNoLongerHas(t *testing.T) {
	v := tell(t, 1440, `
		lane("job");
		for (let i = 0; i < 300; i++) run("job", "default/batch", ["batch-" + i]);`)
	assert.NotContains(t, v.text(".changes"), "batch-7:")
	seek := func(words string) {
		ask[bool](v.tab, `(() => { const search = document.querySelector(".changes input"); search.value = `+quote(words)+`; search.dispatchEvent(new Event("input")); return true; })()`)
	}
	seek("Batch-7:")
	v.says(".changes", "batch-7:")
	assert.Equal(t, 1, v.count(".changes li"))
	v.pressStrip(0.001)
	v.wait(`document.querySelector(".strip").ariaValueNow === "1"`)
	assert.Equal(t, 1, v.count(".changes li"), "what is sought may be still to come")
	seek("nobody")
	v.says(".changes", "No change says “nobody”.")
}

func TestLookWhatAWriteChangedIsSaid(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset");
		write("kubectl", "ReplicaSet", "web", 0, { is: { word: "1/3", has: ["1 available", "Available"] } });
		write("replicaset", "ReplicaSet", "web", 0, { verb: "modified", is: { word: "1/3", has: ["2 available"] } });`)
	v.says(".changes", "replicaset changed ReplicaSet default/web: 2 available, no longer Available")
}

func TestLookALoopThatMissedItsEventDoesNotRest(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset"), lane("job");
		add({ do: "act", lane: "replicaset", verb: "dropped", text: "an event is dropped: default/web is not in the queue" });
		run("job", "default/batch", ["batch-1"]);`)
	v.says(".lanes", "missed web")
	v.click(".lanes button", "replicaset")
	v.says(".loops", "replicaset: missed default/web")
	assert.Contains(t, v.text(".lanes button:last-child"), "rests")
}

func TestLookWordsInLanesNeverOverlap(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset");
		for (let i = 0; i < 40; i++) {
			run("replicaset", "default/a-long-name-" + i, ["web-" + i]);
			if (i % 9 === 8) add({ do: "act", lane: "replicaset", verb: "conflicted", text: "refused, a conflict: default/web" });
		}`)
	assert.Zero(t, ask[int](v.tab, `(() => {
		const boxes = [...document.querySelectorAll(".picture text:not(.clock)")].map((text) => text.getBoundingClientRect());
		return boxes.filter((a) => boxes.some((b) => a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
	})()`))
	assert.NotZero(t, v.count(".picture text.act"))
}

func TestLookALoopThatIsHeldComesFirstAndIsMarked(t *testing.T) {
	v := tell(t, 1440, `
		lane("replicaset"), lane("kubelet node-1"), lane("kubelet node-2"), lane("job");
		for (const name of ["node-1", "node-2"]) write("", "Node", name, 0, { key: name, is: { word: "Ready", mark: "ready" } });
		run("replicaset", "default/web", ["web-1"]);
		const hold = (lane, verb, hold) => add({ do: "act", lane, verb, text: verb, hold });
		for (const lane of ["job", "kubelet node-1"]) { hold(lane, "pause", "paused"); hold(lane, "go-on", ""); }
		hold("kubelet node-2", "pause", "paused");
		for (const name of ["web-1", "web-2"]) add({ do: "key", lane: "kubelet node-2", key: "default/" + name });`)
	assert.Equal(t, "kubectl and others,kubelet node-2,replicaset", ask[string](v.tab, `[...document.querySelectorAll(".lanes b")].map((b) => b.innerText).join()`))
	assert.Contains(t, v.text(".loops .quiet:last-child"), "and 2 more that did nothing", "to go on is to do nothing, too")
	assert.Equal(t, "kubelet node-2: paused, queue 2: default/web-1, default/web-2", ask[string](v.tab, `document.querySelector(".lanes button:nth-child(2)").title`))
	assert.Contains(t, ask[string](v.tab, `[...document.querySelectorAll(".machine > button")].map((b) => b.innerText).join()`), "kubelet paused")
	v.click(".bar button", "kubelet node-2 is paused")
	v.says(".loops", "queue 2: default/web-1, default/web-2")
}
