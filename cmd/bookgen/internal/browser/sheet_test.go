package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
		regexp.MustCompile(`(?m)^.*?  +`).ReplaceAllString(run, "under another name\t"),
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
	assert.True(t, ask[bool](tb, `document.activeElement === `+inSheet), "who has pressed writes on")
	ask[bool](tb, `((later) => !!(globalThis.setTimeout = (act, ms) => ms < 100 && later(act, ms)))(setTimeout)`)
	tb.types("left")
	tb.wait(`shelfOf("01-control-loop", () => { }).read().then((files) => files["mine/1i.txt"].endsWith("\n\nleft"))`)
	assert.False(t, ask[bool](tb, asksBeforeItGoes), "all is kept without a pause in the writing")
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
	assert.Empty(t, ask[string](other, inWrite+` .notice").textContent`), "nothing was typed there")
	other.types("theirs")
	one.wait(inSheet + `.value === "theirs"`)
	one.told("This is what another tab has written.")
	one.pressButton("Take mine again")
	other.wait(inSheet + `.value === "both"`)
	other.told("This is what another tab has written.")
	assert.Equal(t, "both", ask[string](one, inSheet+`.value`))
}

// Where nothing can be kept that is said, and hints go on.
func TestAPredictionWithoutRoom(t *testing.T) {
	slow.Test(t, "it composes the book")
	tb := newTab(t, 820)
	tb.predicts(sheetPage(t))
	ask[bool](tb, `!!(globalThis.put = IDBObjectStore.prototype.put, IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); })`)
	tb.pressButton("Hint")
	tb.told("Hint 1 of 3")
	assert.Contains(t, ask[string](tb, `getComputedStyle(document.querySelector(".write pre")).textIndent`), "hanging each-line", "of each line that wraps")
	assert.False(t, ask[bool](tb, asksBeforeItGoes), "nothing was typed")
	tb.types(predicted)
	tb.told("What you write is not kept")
	tb.wait(asksBeforeItGoes)
	tb.pressButton("Hint")
	tb.told("Hint 2 of 3")
	tb.pressButton("Test")
	tb.told("All 7 lines are as in the run.")
	ask[bool](tb, `!!(IDBObjectStore.prototype.put = put)`)
	tb.pressButton("Test")
	tb.wait(asksBeforeItGoes + ` === false`)
}
