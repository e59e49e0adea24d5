package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// The figures of the book that show the lives of Pods say what happens at each
// instant, and a line goes with them.
func TestTheLivesOfPodsCanBeGoneThroughInstantByInstant(t *testing.T) {
	t.Parallel()
	page := "03-rolling-update/index.html"
	if _, err := os.Stat(filepath.Join(book, filepath.FromSlash(page))); err != nil {
		t.Skip("the book has not been built")
	}
	browserContext(t)
	p := serve(t, book)
	for _, width := range []int64{390, 1440} {
		tb := newTab(t, width)
		tb.open(p.url + page + "#testdata/lanes-1-0.json:lanes") // which opens it
		tb.do(chromedp.Click(chromedp.CSS(".fig-lanes + .scrub button")))
		tb.wait(`document.activeElement?.matches(".fig-lanes + .scrub input")`)
		said := `document.querySelector(".fig-lanes + .scrub output").textContent`
		assert.Regexp(t, `^Step 1 of \d+ 0 s: four v1 ready\. 4 there, 4 available$`, ask[string](tb, said))
		tb.press(kb.ArrowRight)
		assert.Regexp(t, `^Step 2 of \d+ 2 s: one v2 started\. 5 there, 4 available$`, ask[string](tb, said))
		seen := `[...document.querySelectorAll(".fig-lanes .now > .f-z")].filter((e) => e.checkVisibility() && getComputedStyle(e).stroke !== "none").length`
		assert.Equal(t, 1, ask[int](tb, seen), "where the instant is can be seen")
	}
}

// While a figure over time is gone through, it ends a little behind the instant
// at hand: how long what has begun will last is not known yet.
func TestNothingIsShownThatIsStillToCome(t *testing.T) {
	t.Parallel()
	browserContext(t)
	p := serve(t, book)
	for fig, page := range map[string]string{
		".fig-lanes": "03-rolling-update/index.html",
		".fig-spans": "05-storage/index.html",
		".fig-nodes": "06-daemonset/nodes/index.html",
	} {
		for _, width := range []int64{390, 1440} {
			tb := newTab(t, width)
			tb.open(p.url + page)
			ask[any](tb, `document.querySelectorAll(".predicted[hidden]").forEach((run) => { run.dispatchEvent(new Event("beforematch")); })`)
			shown := `(() => {
				const figure = document.querySelector("` + fig + `");
				figure.scrollIntoView({ block: "center" });
				const drawing = [...figure.querySelectorAll("svg")].find((svg) => svg.checkVisibility());
				const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
				const [, now, next] = [...drawing.querySelectorAll("[data-s] > .f-z")]
					.map((line) => drawing.getBoundingClientRect().left + scale * line.getAttribute("d").match(/[\d.]+/)[0]);
				const between = [5, 6, 7, 8, 9].map((tenth) => now + (next - now) * tenth / 10); // bars may be dashed
				return [...drawing.querySelectorAll("path.f-r")].filter((bar) => {
					const box = bar.getBoundingClientRect();
					return between.some((x) => document.elementFromPoint(x, box.top + box.height / 2) === bar);
				}).length;
			})()`
			assert.NotZero(t, ask[int](tb, shown), "%s is whole before anybody asks", fig)
			tb.do(chromedp.Click(chromedp.CSS(fig + " + .scrub button")))
			tb.wait(`document.activeElement?.matches("` + fig + ` + .scrub input")`)
			tb.press(kb.ArrowRight)
			assert.Zero(t, ask[int](tb, shown), "%s at its second step, at %d", fig, width)
			tb.press(kb.End)
			assert.NotZero(t, ask[int](tb, shown), "%s at its last", fig)
		}
	}
}

func TestDrawingsOfWritesCanBeGoneThrough(t *testing.T) {
	t.Parallel()
	browserContext(t)
	p := serve(t, book)
	tb := newTab(t, 390)
	tb.open(p.url + "05-storage/binding/index.html")
	tb.do(chromedp.Click(chromedp.CSS(".fig-pointers + .scrub button")))
	tb.wait(`document.activeElement?.matches(".fig-pointers + .scrub input")`)
	assert.Equal(t, "Step 1 of 4 claimRef is written to the volume: three writes left", ask[string](tb, `document.querySelector(".fig-pointers + .scrub output").textContent`))
}
