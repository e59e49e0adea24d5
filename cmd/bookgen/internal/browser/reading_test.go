package browser

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutScripts lends a tab whose pages run no scripts.
func withoutScripts(t *testing.T, width int64) *tab {
	t.Helper()
	tb := newTab(t, width)
	tb.runScripts(false)
	return tb
}

func TestPagesCanBeReadWithoutScripts(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range p.pages(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := withoutScripts(t, 1440)
				tb.do(chromedp.Navigate(p.url + page))
				assert.Greater(t, ask[int](tb, `document.querySelector("main").innerText.length`), 100)
			})
		}
		tb := withoutScripts(t, 1440)
		tb.do(chromedp.Navigate(p.url + p.chapters(t)[0]))
		assert.True(t, ask[bool](tb, `document.querySelector(".sections a").checkVisibility({contentVisibilityAuto: true})`))
		assert.Contains(t, ask[string](tb, `document.querySelector("#search").href`), "symbols.html")
	})
}

func TestEachHintIsOpenedByItselfWithoutScripts(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := withoutScripts(t, 1440)
	tb.do(chromedp.Navigate(p.url + "01-control-loop/exercises/1b.md.html"))
	shown := `[...document.querySelectorAll(".hint p")].filter((hint) => hint.checkVisibility({contentVisibilityAuto: true})).length`
	for hint := range 3 {
		assert.Equal(t, hint, ask[int](tb, shown), "hints to be read")
		tb.do(chromedp.Click(chromedp.CSS(".hint:nth-of-type(" + strconv.Itoa(hint+1) + ") > summary")))
	}
}

func TestPagesCanBePrinted(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range append(p.sample(t, p.parts(t)), "index.html") {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, 1440)
				tb.open(p.url + page)
				pdf, err := chromedp.Run(tb.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
				require.NoError(t, err)
				assert.True(t, bytes.HasPrefix(pdf, []byte("%PDF")))
				if isComparison(page) {
					return
				}
				assert.Less(t, len(sheet.FindAll(pdf, -1)), 40, "sheets: a part is a sitting on paper, too")
			})
		}
	})
}

var sheet = regexp.MustCompile(`/Type\s*/Page[^s]`)

func TestADayIsOneSheetOnADesk(t *testing.T) {
	t.Parallel()
	browserContext(t)
	dir, err := renderBook()
	require.NoError(t, err)
	tb := newTab(t, 1440)
	tb.open(serve(t, dir).url + "teach/day/index.html")
	pdf, err := chromedp.Run(tb.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
	require.NoError(t, err)
	assert.Len(t, sheet.FindAll(pdf, -1), 2, "the schedule, and what there is to read before")
}

func TestOnPaperAnswersStandAtTheEndForThoseThatDoTheExercises(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 820)
	tb.open(p.url + "01-control-loop/index.html#doing")
	before := ask[string](tb, `document.querySelector(".body").innerHTML`)
	ask[bool](tb, `dispatchEvent(new Event("beforeprint"))`)
	last := `document.querySelector(".body > :last-child")`
	assert.Equal(t, "Answers", ask[string](tb, last+`.querySelector("h2").textContent`))
	assert.Equal(t, "Exercise 1b Compare and act", ask[string](tb, last+`.querySelector("h3").textContent`))
	assert.Equal(t, 1, ask[int](tb, last+`.querySelectorAll(".code").length`))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".answer .code").length`))
	ask[bool](tb, `dispatchEvent(new Event("afterprint"))`)
	assert.Equal(t, before, ask[string](tb, `document.querySelector(".body").innerHTML`), "everything is where it was")
}

func TestSheetsSayWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 820)
	tb.open(p.url + "01-control-loop/the-kubelet/index.html")
	assert.Contains(t, ask[string](tb, `document.querySelector("head style").textContent`), `"Reconcile · 1.2 · The kubelet"`)
}

// On the screen a long line hangs from its last column. Paper breaks it
// anywhere, and so has to begin it where the others begin.
func TestATranscriptKeepsItsColumnsOnPaper(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range p.sample(t, p.parts(t)) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, 1100)
				tb.open(p.url + page)
				tb.print()
				moved := ask[[]string](tb, `[...document.querySelectorAll(".output .l")].filter((line) => {
					let frame = line.parentNode;
					while (getComputedStyle(frame).display === "inline") frame = frame.parentNode;
					const { paddingLeft, borderLeftWidth } = getComputedStyle(frame);
					const edge = frame.getBoundingClientRect().left + parseFloat(paddingLeft) + parseFloat(borderLeftWidth);
					const range = document.createRange();
					range.selectNodeContents(line);
					return Math.abs(range.getClientRects()[0].left - edge) > 1;
				}).map((line) => line.textContent)`)
				assert.Empty(t, moved)
			})
		}
	})
}

func TestPaperHidesNothing(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for _, page := range []string{"index.html", "exercises/1b.md.html"} {
		tb := newTab(t, 820)
		tb.open(p.url + "01-control-loop/" + page)
		tb.print()
		hidden := ask[[]string](tb, `[...document.querySelectorAll(".body p, .body pre, .body li")]
			.filter((e) => !e.checkVisibility({contentVisibilityAuto: true}) && !e.matches(".to-answer, .ways, .head pre")).map((e) => e.textContent)`)
		assert.Empty(t, hidden, "what is folded on the screen is open on paper: %s", page)
	}
}
