package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// steps counts the groups of the drawing that is shown whose class is the given
// one.
func (tb *tab) steps(class string) int {
	tb.t.Helper()
	return ask[int](tb, `[...document.querySelectorAll(".fig-path [data-s].`+class+`")].filter((e) => e.checkVisibility()).length`)
}

func TestAFigureCanBeGoneThroughStepByStep(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for _, width := range []int64{390, 1440} {
		tb := newTab(t, width)
		tb.open(p.url + "01-control-loop/index.html")
		assert.Zero(t, tb.steps("later"), "all of it can be seen before anybody asks")
		tb.do(chromedp.Click(chromedp.CSS(".scrub button")))
		tb.wait(`document.activeElement?.matches(".scrub input")`)
		said := `document.querySelector(".scrub output").textContent`
		assert.Equal(t, "Step 1 of 4 store writes Pod default/web-x7k2p v7", ask[string](tb, said))
		assert.Equal(t, []int{1, 3}, []int{tb.steps("now"), tb.steps("later")})

		tb.press(kb.ArrowRight)
		tb.press(kb.ArrowRight)
		assert.Equal(t, "Step 3 of 4 queue adds the key default/web once", ask[string](tb, said))
		assert.Equal(t, []int{1, 1}, []int{tb.steps("now"), tb.steps("later")})
		assert.Equal(t, "2-3", ask[string](tb, `document.querySelector(".fig-path .f-a .now").dataset.e`), "its arrow stands out with it")

		tb.do(chromedp.Click(chromedp.CSS(".scrub button:last-of-type")))
		assert.Zero(t, tb.steps("later"))
		assert.True(t, ask[bool](tb, `document.querySelector(".scrub button:last-of-type").disabled`))
		assertAccessible(t, tb)
	}
}

func TestAFigureBeingGoneThroughIsWholeOnPaper(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.do(chromedp.Click(chromedp.CSS(".scrub button")))
	tb.wait(`document.activeElement?.matches(".scrub input")`)
	tb.print()
	assert.Equal(t, "1", ask[string](tb, `getComputedStyle(document.querySelector(".fig-path .later")).opacity`))
	assert.False(t, ask[bool](tb, `document.querySelector(".scrub").checkVisibility()`))
}

func TestNobodyIsOfferedStepsWithoutScripts(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := withoutScripts(t, 1440)
	tb.do(chromedp.Navigate(p.url + "01-control-loop/index.html"))
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".scrub").length`))
}
