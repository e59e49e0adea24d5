package browser

import (
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePaperIsKeptFromPageToPage(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "index.html")
	assert.Equal(t, "auto", ask[string](tb, `document.querySelector("#theme").value`))
	tb.do(chromedp.Click(chromedp.CSS("#theme")), chromedp.Click(chromedp.CSS("#theme")))
	tb.open(p.url + "contents.html")
	assert.Equal(t, "dark", ask[string](tb, `document.documentElement.dataset.theme`))
	assert.Equal(t, "dark", ask[string](tb, `document.querySelector("#theme").value`))
	dark := ask[string](tb, `getComputedStyle(document.documentElement).backgroundColor`)
	tb.do(chromedp.Click(chromedp.CSS("#theme")))
	assert.NotEqual(t, dark, ask[string](tb, `getComputedStyle(document.documentElement).backgroundColor`))
}

func TestTheChosenPaperIsThereBeforeTheFirstPaint(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "index.html")
	early := ask[bool](tb, `(() => {
		const script = document.querySelector("head > script:not([src])");
		const style = document.querySelector("link[rel=stylesheet]");
		return script.compareDocumentPosition(style) === Node.DOCUMENT_POSITION_FOLLOWING;
	})()`)
	assert.True(t, early, "the theme is applied by a script that runs before the style sheet is asked for")
}

func TestKeysTurnSectionsAndPages(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.press("j")
	tb.press("j")
	assert.InDelta(t, 24, ask[float64](tb, `document.querySelector("#a-queue-of-keys").getBoundingClientRect().top`), 40)
	tb.wait(`document.querySelector(".sections [aria-current=true]")?.hash === "#a-queue-of-keys"`)
	tb.press("k")
	assert.InDelta(t, 24, ask[float64](tb, `document.querySelector("#the-naive-loop").getBoundingClientRect().top`), 40)
	tb.press("[")
	tb.wait(`document.body.className === "home"`)
}

func TestKeysDoNothingWhileTypingOrWhenSwitchedOff(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "symbols.html")
	tb.do(chromedp.Focus(chromedp.CSS("#filter")))
	tb.press("?/")
	assert.Equal(t, "?/", ask[string](tb, `document.querySelector("#filter").value`))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll("dialog[open]").length`))

	ask[bool](tb, `document.activeElement.blur(), true`)
	tb.press("?")
	tb.do(chromedp.Click(chromedp.CSS("#keys input")))
	tb.press(escape)
	tb.press("?")
	assert.Zero(t, ask[int](tb, `document.querySelectorAll("dialog[open]").length`), "single keys are switched off")
}

func TestTheFirstStopOfTheKeyboardIsTheText(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 820)
	tb.open(p.url + "01-control-loop/index.html")
	tb.press(tabKey)
	tb.press(enter)
	assert.Equal(t, "text", ask[string](tb, `document.activeElement.id`))
}

func TestTheCopyButtonTakesWhatIsOfUse(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(tb.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		})
		require.NoError(t, err)
	}
	tb.open(p.url + "01-control-loop/index.html")
	tb.copies(`[id="queue.go:wait"]`, "\tfor len(q.queue) == 0 && !q.closed {\n\t\tq.cond.Wait()\n\t}\n")
	tb.copies(".scene", "kubectl get pods -w &\nkubectl run web --image=nginx:1.27\n")
	tb.open(p.url + "index.html")
	tb.copies(".output", "go run ./cmd/lab exercise next\ngo run ./cmd/lab exercise test 1a\ngo run ./cmd/lab up\n")
}

func TestAFileCanBeDownloadedAsItIs(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/sql/parse.go.html")
	assert.Equal(t, "parse.go", ask[string](tb, `document.querySelector("a.copy").download`))
	assert.Equal(t, "package sql\n\ntype Statement struct{}\n\nfunc Parse() {}\n",
		ask[string](tb, `fetch(document.querySelector("a.copy").href).then((file) => file.text())`))
}

func TestWhatIsCopiedOfAFileIsNoLinkToAPage(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/queue.go.html")
	require.NotZero(t, ask[int](tb, `document.querySelectorAll(".back").length`))
	assert.NotContains(t, ask[string](tb, `fetch(document.querySelector("a.copy").href).then((file) => file.text())`), "1b")
}

// copies presses a figure's copy button and compares the clipboard.
func (tb *tab) copies(figure, want string) {
	tb.t.Helper()
	tb.do(chromedp.Click(chromedp.CSS(figure + " .copy")))
	tb.wait("document.querySelector('" + figure + " .copy').textContent === 'copied'")
	assert.Equal(tb.t, want, ask[string](tb, `navigator.clipboard.readText()`))
}

func TestAnswersAreFoldedForThoseThatDoTheExercises(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	isOpen := func() bool { return ask[bool](tb, `document.querySelector(".answer").open`) }
	choose := func(mode string) { tb.do(chromedp.Click(chromedp.CSS(`.sections .mode [value="` + mode + `"]`))) }
	chapter := p.url + "01-control-loop/index.html"
	tb.open(chapter)
	assert.True(t, isOpen(), "who reads sees them")
	choose("doing")
	assert.False(t, isOpen())
	tb.open(chapter)
	assert.False(t, isOpen(), "the choice is remembered")
	assert.Equal(t, "true", ask[string](tb, `document.querySelector('.sections .mode [value="doing"]').ariaPressed`))
	choose("")
	assert.True(t, isOpen())
	tb.open(chapter + "#doing")
	assert.False(t, isOpen(), "an address may choose, too")
}

// On the screen the questions at a chapter's end are closed, for whoever reads and
// whoever does the exercises; on paper nobody could open them.
func TestAQuestionHidesWhatIsToldUntilItIsAsked(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		page := p.url + "01-control-loop/index.html"
		if p.book {
			page = p.url + "01-control-loop/the-kubelet/index.html"
		}
		const questions = "#what-you-can-now-explain ~ .question"
		told := func() []bool {
			return ask[[]bool](tb, `(() => {
				const questions = [...document.querySelectorAll("`+questions+`")];
				return [questions[0], questions.at(-1)].map((question) =>
					question.querySelector(":scope > :not(summary)").checkVisibility({ contentVisibilityAuto: true }));
			})()`)
		}
		closed, open := []bool{false, false}, []bool{true, true}
		for _, mode := range []string{"", "doing"} {
			tb.open(page)
			assert.Equal(t, closed, told(), "mode %q, before it is chosen", mode)
			tb.do(chromedp.Click(chromedp.CSS(`.sections .mode [value="` + mode + `"]`)))
			assert.Equal(t, closed, told(), "mode %q, as it is chosen", mode)
			tb.open(page)
			assert.Equal(t, closed, told(), "mode %q, a later visit", mode)
			tb.print()
			ask[bool](tb, `dispatchEvent(new Event("beforeprint"))`)
			assert.Equal(t, open, told(), "mode %q, on paper", mode)
			tb.prefer("light")
		}
		tb.open(page)
		tb.do(chromedp.Click(chromedp.CSS(questions + " > summary")))
		assert.Equal(t, []bool{true, false}, told(), "each is opened by itself")
	})
}

func TestTheIndexCanBeNarrowed(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "symbols.html")
	tb.do(chromedp.SendKeys(chromedp.CSS("#filter"), "delta"))
	assert.Equal(t, 1, ask[int](tb, `document.querySelectorAll(".symbol:not([hidden])").length`))
	assert.Equal(t, "1 of 3 declarations", ask[string](tb, `document.querySelector(".status").textContent`))
}
