package browser

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

const boardToken = "sixteen-letters-and-more"

// board runs a board, and returns where it is, and how one looks at it.
func (r reader) board() (address string, says func() string) {
	board := r.command("workshop", "board", "--address", "127.0.0.1", "--port", "0", "--token", boardToken)
	out, err := board.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, board.Start())
	r.t.Cleanup(func() { assert.NoError(r.t, board.Process.Kill()); _ = board.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(r.t, err)
	at := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/\?token=(\w+) `).FindStringSubmatch(line)
	require.NotNil(r.t, at, line)
	return at[1], func() string {
		request, err := http.NewRequest(http.MethodGet, at[1]+"/text", nil)
		require.NoError(r.t, err)
		request.Header.Set("Authorization", "Bearer "+at[2])
		answer, err := http.DefaultClient.Do(request)
		require.NoError(r.t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(r.t, err)
		return string(text)
	}
}

// The board of a process of its own hears what lab would tell it, when its reader has
// agreed to that, and no more when they have stopped.
func TestAPageReportsToABoard(t *testing.T) {
	slow.Test(t, "it composes the book, and compiles lab")
	r := newReader(t)
	address, says := r.board()
	tb, page := newTab(t, 820), sheetPage(t)
	tb.predicts(page)
	tb.types(firstRun + "worker reconcile\n")
	tb.pressButton("Test")
	tb.told("This is \"The queue is told once\".")
	assert.NotContains(t, says(), "1i", "nobody has agreed")
	ask[bool](tb, `(document.querySelector(".board").open = true)`)
	tb.fills(map[string]string{"to": address, "token": "a-wrong-one-of-some-length"})
	tb.pressButton("Send")
	tb.told("Your report was not sent: the board says: the token is wrong")
	tb.fills(map[string]string{"to": "http://127.0.0.1:1", "token": boardToken})
	tb.pressButton("Send")
	tb.told("Your report was not sent: the board does not answer.")
	tb.fills(map[string]string{"to": "lab exercise report --to " + address + " --token " + boardToken, "name": "Ada", "flag": "red"})
	assertAccessible(t, tb)
	tb.pressButton("Send")
	tb.told("Sent to " + address)
	assert.Regexp(t, `(?m)^1i +1 +0 +0 +The queue is told once 1$`, says())
	assert.Regexp(t, `(?m)^Ada +red +1i +1 +0 *$`, says())

	tb.predicts(page)
	tb.told("Reports go to " + address)
	assert.True(t, ask[bool](tb, `document.querySelector(".board").open`))
	tb.types(predicted)
	tb.pressButton("Test")
	tb.told("Sent to " + address)
	assert.Regexp(t, `(?m)^1i +1 +1 +0 *$`, says())
	var mine, labs map[string]any
	require.NoError(t, json.Unmarshal([]byte(ask[string](tb, `reportOf({ id: "x", flag: "" }).then(JSON.stringify)`)), &mine))
	require.NoError(t, os.MkdirAll(filepath.Join(r.book, ".reconcile"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.book, ".reconcile/progress.json"), []byte(tb.onShelf("01-control-loop", ".reconcile/progress.json")), 0o644))
	require.NoError(t, json.Unmarshal([]byte(r.exercise("report")), &labs))
	assert.Equal(t, labs["exercises"], mine["exercises"])

	ask[bool](tb, `(document.querySelector(".board").open = true)`)
	tb.pressButton("Stop")
	tb.told("The board hears nothing any more.")
	tb.pressButton("Hint")
	tb.told("Hint 1 of 3")
	assert.Regexp(t, `(?m)^1i +1 +1 +0 *$`, says())
}

// What a participant pastes is what the board prints, or a part of that.
func TestAPageFindsABoardInWhatIsPasted(t *testing.T) {
	slow.Test(t, "it composes the book")
	tb := newTab(t, 820)
	tb.predicts(sheetPage(t))
	const at = "10.0.0.7:7777"
	for to, token := range map[string]string{
		at: " x ", " " + at + "/ ": "x", at + "/?token=y": "x", "//" + at + "/report": "x", "HTTP://" + at + "?a#b": "x", "http://" + at + "/a/b": "--token x",
		"$ go run ./cmd/lab exercise report --to=http://" + at + " --token=x": "an older one", "lab exercise report --to " + at + " --token x": "",
	} {
		found := ask[map[string]string](tb, `boardAt(`+quote(to)+`, `+quote(token)+`)`)
		assert.Equal(t, "http://"+at, strings.ToLower(found["to"]), to)
		assert.Equal(t, "x", found["token"], to)
	}
}

// What a page says of the board is so when the answer comes late, from something else, or
// another tab has stopped it.
func TestAPageSaysWhetherTheBoardHears(t *testing.T) {
	slow.Test(t, "it composes the book")
	tb := newTab(t, 820)
	tb.predicts(sheetPage(t))
	ask[bool](tb, `(document.querySelector(".board").open = true)`)
	ask[bool](tb, `!!(globalThis.fetch = () => new Promise((resolve) => { globalThis.answers = (...with_) => resolve(new Response(...with_)); }))`)
	answers := func(with string) {
		tb.wait(`!!globalThis.answers`)
		ask[bool](tb, `[answers(`+with+`), delete globalThis.answers, new Promise((done) => setTimeout(done))].pop().then(() => true)`)
	}
	says := inWrite + ` .board [role=status]").textContent`
	tb.fills(map[string]string{"to": "  ", "token": "x"})
	assert.False(t, ask[bool](tb, `document.querySelector(".board form").checkValidity()`), "blanks are no address")
	tb.fills(map[string]string{"to": "lab exercise report --to http://127.0.0.1:1/ --token y"})
	tb.pressButton("Send")
	answers(`"<p>Not found", { status: 404, headers: { "Content-Type": "text/html" } }`)
	tb.wait(says + ` === "Your report was not sent: what answers there is no board."`)
	assert.Equal(t, "http://127.0.0.1:1 y", ask[string](tb, `((form) => form.to.value + " " + form.token.value)(document.querySelector(".board form").elements)`))
	tb.pressButton("Send")
	tb.wait(`!!globalThis.answers`)
	tb.pressButton("Stop")
	answers(`""`)
	assert.Equal(t, "The board hears nothing any more.", ask[string](tb, says))
	tb.fills(map[string]string{"token": "y"})
	tb.pressButton("Send")
	answers(`""`)
	tb.wait(says + `.startsWith("Sent to http://127.0.0.1:1")`)
	ask[bool](tb, `!!preferences.set("board", JSON.stringify({ id: "x", to: "" })) || true`)
	tb.pressButton("Hint")
	tb.wait(says + ` === "The board hears nothing any more."`)
}

// What is written with Go's compiler in the page is told, too.
func TestExerciseInThePageReportsToABoard(t *testing.T) {
	url := serveWritable(t)
	address, says := newReader(t).board()
	tb := newTab(t, 820)
	tb.writes(url + "01-control-loop/exercises/1b.md.html")
	tb.fills(map[string]string{"to": address, "token": boardToken, "name": "Ada"})
	tb.pressButton("Send")
	tb.told("Sent to " + address)
	assert.Regexp(t, `(?m)^1b +1 +0 +0 *$`, says())
	tb.edits(planWith(t, "\treturn plan{}\n"))
	tb.pressButton("Test")
	tb.written("4 of 4 fail.")
	require.Eventually(t, func() bool { return strings.Contains(says(), "TestPlan") }, time.Minute, 100*time.Millisecond)
	assert.Regexp(t, `(?m)^Ada +1b +1 +0 *$`, says())
}

// fills fills the form for a board.
func (tb *tab) fills(values map[string]string) {
	tb.t.Helper()
	for name, value := range values {
		ask[string](tb, `document.querySelector(".board form").elements.`+name+`.value = `+quote(value))
	}
}
