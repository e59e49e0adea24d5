package browser

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

const written = inWrite + ` .cm-content").textContent`

// writes opens an exercise's page and its editor.
func (tb *tab) writes(page string) {
	tb.t.Helper()
	tb.open(page)
	tb.writesHere()
}

// writesHere opens the editor of the page that the tab has.
func (tb *tab) writesHere() {
	tb.t.Helper()
	tb.pressButton("Write it here")
	tb.wait(`[...document.querySelectorAll(".write button")].some((one) => ["Test", "fetch it"].includes(one.textContent))`)
	if ask[bool](tb, inWrite+`").textContent.includes("fetch it")`) {
		tb.pressButton("fetch it")
	}
	tb.wait(`!!` + inWrite + ` .cm-content") && !` + inWrite + ` .words button").disabled`)
}

// choosesFile gives the page a file, as its reader chooses one.
func (tb *tab) choosesFile(name, text string) {
	tb.t.Helper()
	ask[bool](tb, `((name, text) => {
		const given = new DataTransfer();
		given.items.add(new File([text], name));
		const input = document.querySelector(".write input");
		input.files = given.files;
		return input.dispatchEvent(new Event("change"));
	})(`+quote(name)+`, `+quote(text)+`)`)
}

// gofmt says its line where it can't; a file comes back as it went out, and another
// exercise's is refused.
func TestExerciseInThePageIsFormattedSavedAndLoaded(t *testing.T) {
	tb := newTab(t, 820)
	tb.writes(serveWritable(t) + "01-control-loop/exercises/1b.md.html")
	tb.edits(planWith(t, "\tif (\n"))
	tb.pressButton("gofmt")
	tb.written("chapters/01-control-loop/plan.go:2")
	tb.wait(`!!document.querySelector(".code-wrong")`)
	tb.edits(planWith(t, "  return  plan {create :1}\n"))
	tb.pressButton("gofmt")
	tb.wait(written + `.includes("return plan{create: 1}")`)
	assert.True(t, ask[bool](tb, `!document.querySelector(".code-wrong")`))

	ask[bool](tb, `(HTMLAnchorElement.prototype.click = function () { globalThis.saved = [this.download, fetch(this.href).then((file) => file.text())]; }) && true`)
	tb.pressButton("Save")
	assert.Equal(t, "plan.go", ask[string](tb, `saved[0]`))
	file := ask[string](tb, `saved[1]`)
	assert.Contains(t, file, "\treturn plan{create: 1}\n")
	tb.edits(planWith(t, "\treturn plan{}\n"))
	tb.choosesFile("store.go", "package controlloop\n\nfunc planned() {}\n")
	tb.wait(inWrite + ` .notice").textContent === "store.go is not loaded: it is not chapters/01-control-loop/plan.go of exercise 1b."`)
	assert.Contains(t, ask[string](tb, written), "return plan{}")
	tb.choosesFile("mine.go", file)
	tb.wait(written + `.includes("return plan{create: 1}")`)

	tb.edits(planWith(t, "\treturn plan{create: 77}\n"))
	ask[any](tb, `location.reload()`)
	tb.wait(`document.readyState === "complete" && !document.querySelector(".write .cm-content")`)
	tb.pressButton("Write it here")
	tb.wait(`!!document.querySelector(".write .cm-content") && ` + written + `.includes("create: 77")`)
}

// What one tab keeps is in the other one, unless something is being written there: then
// neither is lost, and its reader is asked.
func TestExerciseInThePageInTwoTabs(t *testing.T) {
	page := serveWritable(t) + "01-control-loop/exercises/1b.md.html"
	one, other := newTab(t, 820), newTab(t, 820)
	one.writes(page)
	other.writes(page)
	one.edits(planWith(t, "\treturn plan{create: 11}\n"))
	other.wait(written + `.includes("create: 11")`)
	require.Equal(t, "This is what another tab has written.", ask[string](other, inWrite+` .notice").textContent`))

	ask[bool](other, `(globalThis.tabs = BroadcastChannel.prototype.postMessage) && !(BroadcastChannel.prototype.postMessage = () => { })`) // it isn't heard
	other.edits(planWith(t, "\treturn plan{create: 22}\n"))
	other.wait(inWrite + ` .notice").textContent === ""`)
	one.edits(planWith(t, "\treturn plan{create: 33}\n"))
	one.wait(inWrite + ` .notice").textContent.includes("Another tab has this chapter open")`)
	assert.Contains(t, ask[string](one, written), "create: 33")
	assert.Contains(t, ask[string](other, written), "create: 22")
	one.pressButton("take what it has")
	one.wait(written + `.includes("create: 22")`)
	one.edits(planWith(t, "\treturn plan{create: 44}\n"))
	other.wait(written + `.includes("create: 44")`)

	ask[any](other, `void (async () => {
		const shelf = shelfOf("01-control-loop", () => { });
		await shelf.write({ ...await shelf.read(), "mine/1i.txt": "predicted" });
		globalThis.predicted = true;
	})()`)
	other.wait(`globalThis.predicted`)
	one.edits(planWith(t, "\treturn plan{create: 55}\n"))
	one.wait(inWrite + ` .notice").textContent.includes("Another tab has this chapter open")`)
	one.pressButton("keep what is here")
	one.wait(inWrite + ` .notice").textContent === ""`)
	ask[any](one, `void shelfOf("01-control-loop", () => { }).read().then((files) => { globalThis.kept = files; })`)
	one.wait(`!!globalThis.kept`)
	assert.Equal(t, "predicted", ask[string](one, `kept["mine/1i.txt"]`), "another exercise's")
	assert.Contains(t, ask[string](one, `kept["chapters/01-control-loop/plan.go"]`), "create: 55")
}

// Where nothing can be kept that is said, and the text stays; the browser asks before it
// goes.
func TestExerciseInThePageWithoutRoom(t *testing.T) {
	tb := newTab(t, 820)
	tb.open(serveWritable(t) + "01-control-loop/exercises/1b.md.html")
	ask[bool](tb, `!!(globalThis.put = IDBObjectStore.prototype.put, IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); })`)
	tb.writesHere()
	tb.wait(inWrite + ` .notice").textContent.startsWith("What you write is not kept")`)
	assert.True(t, ask[bool](tb, inWrite+` .cm-content") === document.activeElement`), "who has pressed writes on")
	assert.False(t, ask[bool](tb, asksBeforeItGoes), "nothing is written")
	tb.edits(planWith(t, "\treturn plan{create: 5}\n"))
	tb.wait(inWrite + ` .notice").textContent.startsWith("What you write is not kept")`)
	assert.True(t, ask[bool](tb, asksBeforeItGoes))
	tb.pressButton("Test")
	tb.written("4 of 4 fail.")
	assert.Contains(t, ask[string](tb, written), "create: 5")
	assert.True(t, ask[bool](tb, asksBeforeItGoes))
	ask[bool](tb, `!!(IDBObjectStore.prototype.put = put)`)
	tb.pressButton("gofmt")
	tb.wait(asksBeforeItGoes + ` === false`)
}

// A worker that nobody needs for minutes gives its memory back, and the next test has
// another one.
func TestExerciseInThePageGivesItsMemoryBack(t *testing.T) {
	tb := newTab(t, 820)
	tb.writes(serveWritable(t) + "01-control-loop/exercises/1b.md.html")
	ask[any](tb, `void (() => {
		const { setTimeout, Worker } = globalThis;
		globalThis.setTimeout = (then, after, ...more) => setTimeout(then, after === 120000 ? 100 : after, ...more);
		const { terminate } = Worker.prototype;
		globalThis.ended = 0;
		Worker.prototype.terminate = function () { ended++; terminate.call(this); };
	})()`)
	for range 2 {
		tb.pressButton("Test")
		tb.written("4 of 4 fail.")
		tb.wait(`globalThis.ended > 0`)
		ask[any](tb, `void (() => { ended = 0; document.querySelector(".write pre").textContent = ""; })()`)
	}
}

// Over plain HTTP from another machine a browser has no caches; the compiler is kept all
// the same, and fetched once.
func TestExerciseInThePageOverPlainHTTP(t *testing.T) {
	slow.Deep(t, "toolchain", "it waits for many verdicts")
	tb := newTab(t, 820)
	page := serveWritableAt(t, addressOfThisMachine(t)) + "01-control-loop/exercises/1b.md.html"
	tb.writes(page)
	require.Equal(t, "false undefined", ask[string](tb, "`${isSecureContext} ${typeof caches}`"))
	tb.pressButton("Test")
	tb.written("planFor is still to be written.")
	tb.open(page)
	tb.pressButton("Write it here")
	tb.wait(inWrite + `").textContent.includes("fetch it") || !!` + inWrite + ` .cm-content")`)
	assert.NotContains(t, ask[string](tb, inWrite+`").textContent`), "fetch it")
	assert.Equal(t, "ArrayBuffer", ask[string](tb, `new Promise((kept) => {
		indexedDB.open("reconcile-engine").onsuccess = ({ target: { result } }) => {
			result.transaction("modules").objectStore("modules").getAll().onsuccess = ({ target }) =>
				kept([...new Set(target.result.map((one) => one.constructor.name))].join());
		};
	})`), "WebKit keeps no Blob in a private window")
}

// addressOfThisMachine returns one that others reach it by.
func addressOfThisMachine(t *testing.T) string {
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, address := range all {
		if at, ok := address.(*net.IPNet); ok && at.IP.To4() != nil && !at.IP.IsLoopback() {
			return at.IP.String()
		}
	}
	t.Skip("this machine is in no network")
	return ""
}
