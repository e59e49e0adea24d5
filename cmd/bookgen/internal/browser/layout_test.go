package browser

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNoPageIsWiderThanTheWindow(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		for _, page := range p.pages(t) {
			tb.open(p.url + page)
			for _, width := range []int64{390, 820, 1100, 1440} {
				tb.resize(width)
				assert.LessOrEqual(t, ask[int64](tb, `document.documentElement.scrollWidth`), width, "%s at %d", page, width)
			}
		}
	})
}

// overlaps lists pairs of margin notes, or of a note and a figure, that cover
// each other.
const overlaps = `(() => {
	const boxes = [...document.querySelectorAll(".body .note, .body figure, .body .table, .body .exercise")]
		.filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()]);
	const found = [];
	for (const [a, x] of boxes) for (const [b, y] of boxes) {
		if (a === b || !a.matches(".note") || a.contains(b) || b.contains(a)) continue;
		const apart = x.right <= y.left || y.right <= x.left || x.bottom <= y.top || y.bottom <= x.top;
		if (!apart) found.push((a.id || a.className) + " covers " + (b.id || b.className));
	}
	return found;
})()`

func TestMarginNotesStandFreeAndBesideWhatTheyAnnotate(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		for _, chapter := range p.parts(t) {
			tb.open(p.url + chapter)
			for _, width := range []int64{1100, 1440} {
				tb.resize(width)
				assert.Empty(t, ask[[]string](tb, overlaps), "%s at %d", chapter, width)
				away := ask[[]string](tb, `[...document.querySelectorAll(".body .note")].filter((note) => {
					const ref = document.getElementById(note.id.replace("note-", "ref-")).getBoundingClientRect();
					return note.getBoundingClientRect().left < ref.right || Math.abs(note.getBoundingClientRect().top - ref.top) > 600;
				}).map((note) => note.id)`)
				assert.Empty(t, away, "notes of %s at %d that are far from their reference", chapter, width)
			}
		}
	})
}

func TestEightyFourColumnsOfCodeFitAtDeskWidth(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	columns := ask[float64](tb, `(() => {
		const pre = document.querySelector(".code pre");
		const probe = document.createElement("span");
		probe.textContent = "0".repeat(100);
		pre.append(probe);
		const width = probe.getBoundingClientRect().width / 100;
		probe.remove();
		return pre.clientWidth / width;
	})()`)
	assert.GreaterOrEqual(t, columns, 84.0)
}

func TestAnchorsLandWhereTheyCanBeSeen(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		tb.open(p.url + p.chapters(t)[0])
		anchors := ask[[]string](tb, `[...document.querySelectorAll(".sections a, .body .code pre a")]
			.map((a) => a.getAttribute("href")).filter((href) => href?.startsWith("#")).slice(0, 40)`)
		for _, anchor := range anchors {
			ask[bool](tb, `location.hash = `+quote(anchor)+`, true`)
			tb.wait(`(() => {
				const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
				const top = target?.getBoundingClientRect().top;
				return target?.checkVisibility() && top > -5 && top < innerHeight;
			})()`)
		}
	})
}

func TestALinkToALineMarksTheLine(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/queue.go.html#L12")
	marked := ask[bool](tb, `getComputedStyle(document.querySelector("#L12")).backgroundColor !==
		getComputedStyle(document.querySelector("#L13")).backgroundColor`)
	assert.True(t, marked)
}
