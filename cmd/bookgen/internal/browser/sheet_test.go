package browser

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
	"reconcile/internal/gowork"
	"reconcile/internal/slow"
)

// A reader has lab, and a copy of what it needs of the book.
type reader struct {
	t         *testing.T
	lab, book string
}

func newReader(t *testing.T) reader {
	r := reader{t, filepath.Join(t.TempDir(), "lab"), t.TempDir()}
	build := gowork.Command(t.Context(), "build", "-o", r.lab, "./cmd/lab")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, part := range []string{"chapters", "workshop"} {
		require.NoError(t, os.CopyFS(filepath.Join(r.book, part), os.DirFS(filepath.Join(root, part))))
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.book, "go.mod"), mod, 0o644))
	return r
}

func (r reader) command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(r.t.Context(), r.lab, arguments...)
	command.Dir = r.book
	return command
}

func (r reader) exercise(arguments ...string) string {
	out, _ := r.command(append([]string{"exercise"}, arguments...)...).CombinedOutput() // a prediction that is wrong is an error
	return string(out)
}

// predictions returns the exercises that ask for one.
func predictions(t *testing.T) (all []*exercise.Exercise) {
	chapters, err := filepath.Glob(filepath.Join(root, "chapters", "0*"))
	require.NoError(t, err)
	for _, dir := range chapters {
		exercises, err := exercise.Load(os.DirFS(dir), dir)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind == exercise.Predict {
				all = append(all, e)
			}
		}
	}
	require.Greater(t, len(all), 10)
	return all
}

// attempts returns what is predicted: nothing, the run, each wrong prediction, and texts
// that try what a line is.
func attempts(e *exercise.Exercise) []string {
	_, nothing, _ := strings.Cut(string(e.Sheet()), "\n\n")
	run := strings.Join(e.Run.Lines, "\n") + "\n"
	all := []string{
		nothing, run, run + "and one more\n", run + "\ta \"quoted\"\u00a0line\n# which has a comment\n", "",
		strings.Join(e.Run.Lines[:len(e.Run.Lines)-1], "\n"), strings.ToUpper(run),
		strings.NewReplacer("->", "→", ",", " , ", "=", " =", " ", "  ", "\n", "\r\n\n").Replace(run), strings.ReplaceAll(run, "  ", "\t"),
		strings.Join(strings.Fields(run), "\n"), strings.ReplaceAll(run, "  ", "  ? "),
	}
	for _, p := range e.Predictions {
		all = append(all, strings.Join(e.Run.Lines[:p.At-1], "\n")+"\n"+strings.Join(p.Lines, "\n"))
	}
	return all
}

// Every prediction that is recorded, and some that try what a line is: the page says the
// same as lab, to the letter, but for the words on a wrong prediction, which the page has
// already, and what comes next.
func TestAPageSaysOfAPredictionWhatTheRealLabSays(t *testing.T) {
	slow.Test(t, "lab is asked two hundred times")
	r, tb, tries := newReader(t), newTab(t, 820), 0
	dir, err := renderBook()
	require.NoError(t, err)
	site := serve(t, dir)
	for _, e := range predictions(t) {
		tb.open(site.url + e.Chapter + "/exercises/" + e.Number + ".md.html")
		tb.wait(`typeof verdict === "function"`)
		r.exercise("start", e.Number)
		head, _, _ := strings.Cut(string(e.Sheet()), "\n\n")
		for i, text := range attempts(e) {
			require.NoError(t, os.WriteFile(filepath.Join(r.book, "mine", e.Number+".txt"), []byte(head+"\n\n"+text), 0o644))
			arguments, show := []string{"test", e.Number}, "false"
			if (i+tries)%2 == 0 {
				arguments, show = append(arguments, "--show"), "true"
			}
			page := ask[[]string](tb, `((sheet, text) => {
				const found = compared(sheet, text);
				return [...verdict(sheet, found, `+show+`), sheet.predictions[found.why]?.name ?? ""];
			})(JSON.parse(document.getElementById("sheet").textContent), `+quote(text)+`)`)
			lab := r.exercise(arguments...)
			before, why := lab, ""
			if c := e.Compare(text); c.Why != nil {
				at := strings.Index(lab, "\".\n  ") + len("\".\n")
				before, why = lab[:at], c.Why.Name
				assert.Equal(t, lab[strings.LastIndex(lab, page[1]):], page[1], "%s %q", e.Number, text)
			} else if before, _, _ = strings.Cut(lab, "Next: "); page[1] != "" {
				before = strings.TrimSuffix(before, page[1])
			}
			assert.Equal(t, before, page[0], "%s %q", e.Number, text)
			assert.Equal(t, why, page[2], "%s %q", e.Number, text)
		}
		tries += len(attempts(e))
	}
	t.Log(tries, "predictions")
}

// predicts opens the page of a prediction, and what it is written into.
func (tb *tab) predicts(page string) {
	tb.t.Helper()
	tb.open(page)
	tb.pressButton("Predict it here")
	tb.wait("!!" + inSheet)
}

const inSheet = inWrite + ` textarea")`

// types puts a text in the place of what is written.
func (tb *tab) types(text string) {
	tb.t.Helper()
	ask[bool](tb, `((at) => { at.value = `+quote(text)+`; return at.dispatchEvent(new Event("input")); })(`+inSheet+`)`)
}

func (tb *tab) told(text string) {
	tb.t.Helper()
	tb.wait(inWrite + `").textContent.includes(` + quote(text) + `)`)
}

// onShelf returns a file that the page has kept of its chapter.
func (tb *tab) onShelf(chapter, name string) string {
	tb.t.Helper()
	return ask[string](tb, `shelfOf(`+quote(chapter)+`, () => { }).read().then((files) => files[`+quote(name)+`])`)
}

const (
	firstRun  = "store      modified\nreflector  event\nfifo       updated\ncache      stored\nqueue      added\n"
	predicted = firstRun + "queue      added\nworker     reconcile\n"
)

func sheetPage(t *testing.T) string {
	dir, err := renderBook()
	require.NoError(t, err)
	return serve(t, dir).url + "01-control-loop/exercises/1i.md.html"
}

// A prediction is written, judged and shown without anything that has to be fetched but
// a script. What was written is kept where lab finds it.
func TestAPredictionIsWrittenAndJudgedInThePage(t *testing.T) {
	slow.Test(t, "it composes the book")
	tb, page := newTab(t, 820), sheetPage(t)
	tb.predicts(page)
	tb.types(firstRun + "worker reconcile\n")
	tb.pressButton("Test")
	tb.told("5 of 7 lines are as in the run.\nLine 6 is another in the run: you say \"worker reconcile\".\n\nThis is \"The queue is told once\".")
	assert.Equal(t, "One change, one key", ask[string](tb, inWrite+` .why p").textContent`)[:19])
	tb.pressButton("go run ./cmd/lab exercise test 1i --show")
	tb.told("you say \"worker reconcile\", the run says \"queue      added\".")
	for i, hint := range []string{"A change of a Pod", "The queue holds a key", "Look at podsOf"} {
		tb.pressButton("Hint")
		tb.told(string(rune('1'+i)) + " of 3")
		tb.told(hint)
	}
	tb.told("That was the last hint.")
	tb.pressButton("Show the answer")
	tb.told("queue      added\nqueue      added\nworker     reconcile")
	assertAccessible(t, tb)

	tb.predicts(page)
	assert.Equal(t, firstRun+"worker reconcile\n", ask[string](tb, inSheet+`.value`))
	tb.pressButton("Put it back")
	tb.told("It is as it was.")
	assert.Equal(t, "store      modified\nreflector  event\n", ask[string](tb, inSheet+`.value`))
	tb.pressButton("Take mine again")
	tb.types(predicted)
	tb.pressButton("Test")
	tb.told("All 7 lines are as in the run.")

	ask[bool](tb, `(HTMLAnchorElement.prototype.click = function () { globalThis.saved = [this.download, fetch(this.href).then((file) => file.text())]; }) && true`)
	tb.pressButton("Save")
	r := newReader(t)
	require.NoError(t, os.MkdirAll(filepath.Join(r.book, "mine"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.book, "mine", ask[string](tb, `saved[0]`)), []byte(ask[string](tb, `saved[1]`)), 0o644))
	assert.Contains(t, r.exercise("test", "1i"), "All 7 lines are as in the run.")
	assert.Equal(t, ask[string](tb, `saved[1]`), tb.onShelf("01-control-loop", "mine/1i.txt"))
	tb.choosesFile("1o.txt", "# Exercise 1o, Another\n\nstore  modified\n")
	tb.told("1o.txt is not loaded: it is not mine/1i.txt.")
	tb.choosesFile("1i.txt", "# Exercise 1i, Seven steps\r\n#\r\n\r\nstore  modified\r\n")
	tb.wait(inSheet + `.value === "store  modified\n"`)
}

// Two tabs have a chapter open; neither loses what the other one has written.
func TestAPredictionInTwoTabs(t *testing.T) {
	slow.Test(t, "it composes the book")
	page := sheetPage(t)
	one, other := newTab(t, 820), newTab(t, 820)
	one.predicts(page)
	other.predicts(strings.ReplaceAll(page, "1i", "1o"))
	one.types("one")
	other.types("other")
	one.wait(`shelfOf("01-control-loop", () => { }).read().then((files) => files["mine/1i.txt"].endsWith("\n\none") && files["mine/1o.txt"].endsWith("\n\nother"))`)
	other.predicts(page)
	one.types("both")
	other.wait(inSheet + `.value === "both"`)
}

// Where nothing can be kept that is said, and hints go on.
func TestAPredictionWithoutRoom(t *testing.T) {
	slow.Test(t, "it composes the book")
	tb := newTab(t, 820)
	tb.predicts(sheetPage(t))
	ask[bool](tb, `!!(IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); })`)
	tb.types(predicted)
	tb.told("What you write is not kept")
	tb.pressButton("Hint")
	tb.told("Hint 1 of 3")
	tb.pressButton("Hint")
	tb.told("Hint 2 of 3")
	tb.pressButton("Test")
	tb.told("All 7 lines are as in the run.")
}

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
