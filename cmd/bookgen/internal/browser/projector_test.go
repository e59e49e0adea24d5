package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// The address of a page for a room is the page's with ?projector behind it, from
// a server and from a folder.
func TestAPageForARoomIsLargeAndHasOneColumn(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	const (
		size  = `parseFloat(getComputedStyle(document.querySelector(".body p")).fontSize)`
		paper = `getComputedStyle(document.documentElement).backgroundColor`
		// which of these stand beside the text
		beside = `(() => {
			const text = document.querySelector(".text").getBoundingClientRect();
			return [...document.querySelectorAll(".note, .sections")].filter((e) => e.checkVisibility()).filter((e) => {
				const at = e.getBoundingClientRect();
				return at.left < text.left - 1 || at.right > text.right + 1;
			}).length;
		})()`
	)
	for name, root := range map[string]string{"from a server": p.url, "from a folder": p.file()} {
		t.Run(name, func(t *testing.T) {
			tb := newTab(t, 1440)
			tb.open(root + "01-control-loop/index.html")
			assert.Positive(t, ask[int](tb, beside), "a reader has something beside the text")
			assert.Less(t, ask[float64](tb, size), 24.0)
			for _, width := range []int64{1024, 1440, 1920} {
				tb.resize(width)
				tb.open(root + "01-control-loop/index.html?projector")
				assert.GreaterOrEqual(t, ask[float64](tb, size), 24.0, "at %d", width)
				assert.Zero(t, ask[int](tb, beside), "at %d", width)
				assert.Equal(t, "rgb(255, 255, 255)", ask[string](tb, paper))
				assert.LessOrEqual(t, ask[int](tb, `document.documentElement.scrollWidth`), int(width))
			}
			assertAccessible(t, tb)
		})
	}
}

func TestWhatLeadsOnFromAPageForARoomLeadsToAnother(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for name, root := range map[string]string{"from a server": p.url, "from a folder": p.file()} {
		t.Run(name, func(t *testing.T) {
			tb := newTab(t, 1440)
			tb.open(root + "01-control-loop/index.html?projector")
			tb.do(chromedp.Click(chromedp.CSS(".turn [rel=next]")))
			tb.wait(`location.pathname.includes("the-kubelet") && location.search === "?projector" && document.readyState === "complete"`)
			tb.press("[")
			tb.wait(`!location.pathname.includes("the-kubelet") && location.search === "?projector" && document.readyState === "complete"`)
			assert.True(t, ask[bool](tb, `"projector" in document.documentElement.dataset`))

			tb.search("how to read")
			tb.press(enter)
			tb.wait(`!location.pathname.includes("01-control-loop") && location.search === "?projector"`)

			tb.open(root + "01-control-loop/index.html")
			tb.do(chromedp.Click(chromedp.CSS(".turn [rel=next]")))
			tb.wait(`location.pathname.includes("the-kubelet") && location.search === ""`)
		})
	}
}
