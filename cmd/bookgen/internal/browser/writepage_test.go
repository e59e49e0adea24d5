package browser

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/toolchain"
	"reconcile/internal/slow"
)

// serveWritable serves the book with its compiler, and returns where.
func serveWritable(t *testing.T) string {
	t.Helper()
	slow.Deep(t, "toolchain", "it waits for many verdicts")
	return serveWritableAt(t, "127.0.0.1")
}

func serveWritableAt(t *testing.T, host string) string {
	t.Helper()
	browserContext(t)
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	edition, err := build.Compose(t.Context(), build.Options{Root: root, Cache: cache})
	require.NoError(t, err)
	made, err := toolchain.Make(t.Context(), root, cache, engine.Plain, toolchain.Chapters)
	require.NoError(t, err)
	require.NoError(t, made.AddTo(edition.Files))
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, write(dir, edition.Files))
	server := httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	server.Listener.Close()
	server.Listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// planWith returns plan.go with other statements in planFor.
func planWith(t *testing.T, body string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "chapters/01-control-loop/plan.go"))
	require.NoError(t, err)
	before, after, ok := strings.Cut(string(text), "[]*corev1.Pod) plan {\n")
	require.True(t, ok)
	return before + "[]*corev1.Pod) plan {\n" + body + "\t_, _ = cmp.Compare(1, 2), slices.Max([]int{1})\n" + after
}

const inWrite = `document.querySelector(".write`

// written waits until a command has been answered, and says what went wrong instead.
func (tb *tab) written(text string) {
	tb.t.Helper()
	tb.wait(inWrite + ` .wrong") || ` + inWrite + ` pre").textContent.includes(` + quote(text) + `)`)
	require.Empty(tb.t, ask[string](tb, inWrite+` .wrong")?.textContent ?? ""`))
	tb.wait("!" + inWrite + ` .words button").disabled`)
}

func (tb *tab) pressButton(words string) {
	tb.t.Helper()
	button := `[...document.querySelectorAll(".write button")].find((one) => one.textContent === ` + quote(words) + `)`
	tb.wait("!!" + button)
	ask[bool](tb, "("+button+".scrollIntoView(), "+button+".click(), true)")
}

// edits puts a text in the place of the editor's.
func (tb *tab) edits(text string) {
	tb.t.Helper()
	ask[bool](tb, `((text) => {
		const content = document.querySelector(".write .cm-content");
		content.focus();
		content.dispatchEvent(new KeyboardEvent("keydown", { key: "a", code: "KeyA", keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true }));
		const pasted = new DataTransfer();
		pasted.setData("text/plain", text);
		content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: pasted, bubbles: true, cancelable: true }));
		return true;
	})(`+quote(text)+`)`)
}

// Nothing is fetched before its reader has been asked; the stub fails, an answer that
// doesn't compile is marked at its line, a wrong one is named, and the book's passes. What
// was written is there when the page is opened again.
func TestExerciseInThePageIsWrittenAndJudged(t *testing.T) {
	url := serveWritable(t)
	tb := newTab(t, 820)
	page := url + "01-control-loop/exercises/1b.md.html"
	tb.open(page)
	tb.wait(`getComputedStyle(` + inWrite + ` button")).textDecorationLine === "underline"`) // it looks like a button
	tb.pressButton("Write it here")
	tb.wait(inWrite + `").textContent.includes("fetched once")`)
	_, asked := tb.said()
	assert.NotContains(t, strings.Join(asked, " "), ".gz")
	tb.pressButton("fetch it")
	tb.pressButton("Test")
	tb.written("planFor is still to be written.")
	tb.edits(planWith(t, "\treturn nothing\n"))
	tb.pressButton("Test")
	tb.written("It does not build")
	assert.Equal(t, "undefined: nothing", ask[string](tb, `document.querySelector(".code-wrong").textContent`))
	tb.edits(planWith(t, "\treturn plan{}\n"))
	tb.pressButton("Test")
	tb.written("4 of 4 fail.")
	tb.open(page)
	tb.pressButton("Write it here")
	tb.wait(inWrite + ` .cm-content")?.textContent.includes("return plan{}")`)
	book, err := os.ReadFile(filepath.Join(root, "chapters/01-control-loop/plan.go"))
	require.NoError(t, err)
	tb.edits(string(book))
	tb.pressButton("Test")
	tb.written("28 of 28 pass.\nBut planFor is the book's own")
	assertAccessible(t, tb)
}

// What runs for ever in a reader's function is ended at its line, in the words that lab
// has for it.
func TestExerciseInThePageEndsWhatNeverEnds(t *testing.T) {
	tb := newTab(t, 820)
	tb.open(serveWritable(t) + "01-control-loop/exercises/1b.md.html")
	tb.pressButton("Write it here")
	tb.pressButton("fetch it")
	for name, c := range map[string]struct{ body, says string }{
		"a loop":      {"\tfor {\n\t}\n", "given up after 300000000 steps. A loop that never leaves, or a lock that nobody gives back?\n      running: plan.go:24"},
		"a recursion": {"\treturn planFor(rc, pods)\n", "died of: fatal error: stack overflow\n      in plan.go:23, called by plan.go:24, called by"},
		"a deadlock":  {"\t<-make(chan int)\n", "given up after 3s. A loop that never leaves, or a lock that nobody gives back?"},
		"a gigabyte":  {"\t_ = append([]byte{}, make([]byte, 1<<30)...)\n", "died of: fatal error: out of memory\n      in plan.go:24"},
	} {
		tb.wait(`!!` + inWrite + ` .cm-content")`)
		tb.edits(planWith(t, c.body))
		tb.pressButton("Test")
		tb.written(c.says)
		t.Log(name)
	}
}
