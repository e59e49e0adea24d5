package browser

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var transcriptsFit = claim{
	says:   "no line of a transcript is cut off",
	widths: []int64{320, 390, 820, 1100, 1440, 1920},
	parts:  true,
	against: `[...document.querySelectorAll(".output pre")]
		.filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth)
		.map((e) => e.textContent.slice(0, 60))`,
}

var commentsFitOnAPhone = claim{
	says:     "no comment has to be pushed on a phone: it is set anew, or goes on below itself",
	widths:   []int64{320, 390},
	unfolded: true,
	against: `[...document.querySelectorAll(".code pre i:not([class])")]
		.filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.textContent.slice(0, 60))`,
}

func TestALongLineGoesOnInItsLastColumn(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	message := ask[[]float64](tb, `(() => {
		const line = document.querySelector(".wide .l:last-child");
		const range = document.createRange();
		range.setStart(line.firstChild, line.textContent.indexOf("Failed to pull"));
		range.setEnd(line.firstChild, line.textContent.length - 1);
		return [...range.getClientRects()].filter((box) => box.width > 20).map((box) => Math.round(box.left));
	})()`)
	require.Greater(t, len(message), 1, "it has more than one line")
	for _, left := range message {
		assert.InDelta(t, message[0], left, 2)
	}
}

func TestAWideTranscriptTakesTheMargin(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for _, width := range []int64{1100, 1440} {
		tb := newTab(t, width)
		tb.open(p.url + "01-control-loop/index.html")
		right := ask[[]int](tb, `[".scene", ".wide", ".note"].map((part) =>
			Math.round(document.querySelector(".body " + part).getBoundingClientRect().right))`)
		assert.Less(t, right[0], right[1], "at %d", width)
		assert.Equal(t, right[2], right[1], "at %d", width)
	}
}

func TestACutEdgeFadesUntilItIsPushedIntoSight(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "01-control-loop/index.html")
	mask := `getComputedStyle(document.querySelector("[id='queue.go:Queue'] > pre")).maskImage`
	assert.Contains(t, ask[string](tb, mask), "gradient")
	ask[bool](tb, `document.querySelector("[id='queue.go:Queue'] > pre").scrollLeft = 9999, true`)
	tb.wait(mask + ` === "none"`)
	tb.resize(1440)
	tb.wait(mask + ` === "none"`)
}
