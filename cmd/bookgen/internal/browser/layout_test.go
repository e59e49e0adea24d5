package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noWiderThanTheWindow = claim{
	says:   "no page is wider than the window",
	widths: []int64{320, 390, 820, 1100, 1440},
	against: `[document.documentElement].filter((e) => e.scrollWidth > e.clientWidth)
		.map((e) => e.scrollWidth + " pixels wide")`,
}

var tablesFitOnAPhone = claim{
	says:   "no column of a table has to be looked for on a phone",
	widths: []int64{390},
	against: `[...document.querySelectorAll(".table")].filter((table) => table.scrollWidth > table.clientWidth)
		.map((table) => table.ariaLabel)`,
}

// Figures have a measure of their own.
var nothingIsTooSmallToRead = claim{
	says:     "no text has less than 12.5 pixels",
	widths:   []int64{390},
	unfolded: true,
	against: `[...new Set([...document.querySelectorAll("body *")]
		.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && e.checkVisibility() && !e.closest("svg"))
		.filter((e) => parseFloat(getComputedStyle(e).fontSize) < 12.5)
		.map((e) => e.tagName + "." + e.className + " " + getComputedStyle(e).fontSize + " " + e.textContent.slice(0, 20)))]`,
}

var anInitialHasItsThreeLines = claim{
	says:   "an initial stands beside three lines of its paragraph, and no rule goes through it",
	widths: []int64{390, 820, 1440},
	parts:  true,
	against: `[...document.querySelectorAll(".body > p:first-child")].filter((p) => {
		const { initialLetter } = getComputedStyle(p, "::first-letter");
		const lines = p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight);
		return !initialLetter.startsWith("normal") && Math.round(lines) < 3;
	}).map((p) => p.textContent)`,
}

// A window of 690 pixels, or of 800, shows what a page is about and how it begins.
var thePageBeginsInTheWindow = claim{
	says:   "the first sentence of a part begins within 480 pixels, and within 420 where there is room",
	widths: []int64{390, 1440},
	parts:  true,
	against: `[document.querySelector(".body p").getBoundingClientRect().top + scrollY]
		.filter((top) => top > (innerWidth < 700 ? 480 : 420))
		.map((top) => Math.round(top) + " pixels")`,
}

var turnsStandInARow = claim{
	says:   "the way on stands at the right of the way back, or all ways below each other",
	widths: []int64{390, 820, 1100, 1440},
	parts:  true,
	against: `(() => {
		const boxes = [...document.querySelectorAll(".turn > *")].map((way) => way.getBoundingClientRect());
		const row = boxes.every((box) => box.top === boxes[0].top);
		if (!row && getComputedStyle(document.querySelector(".turn > :last-child")).textAlign === "right") return ["below, at the right"];
		const column = boxes.every((box, i) => i === 0 || box.left === boxes[0].left && box.top >= boxes[i - 1].bottom);
		return boxes.length > 1 && (row || column) ? [] : [boxes.length + " ways"];
	})()`,
}

var noButtonLiesOnText = claim{
	says:   "no button to copy lies on what it copies",
	widths: []int64{320, 390, 820, 1440},
	parts:  true,
	against: `[...document.querySelectorAll(".copy")].filter((button) => {
		const box = button.getBoundingClientRect();
		const range = document.createRange();
		range.selectNodeContents(button.closest("figure, .try").querySelector(":scope > pre"));
		return [...range.getClientRects()].some((line) => line.width > 0 && line.left < box.right &&
			box.left < line.right && line.top < box.bottom && box.top < line.bottom);
	}).map((button) => button.closest("[id]").id)`,
}

// An answer that is open has its signature in its code, and hides it above. A
// question has its words nowhere else.
var questionsAreWhole = claim{
	says:     "no question hides a word when its answer is open",
	widths:   []int64{1440},
	parts:    true,
	unfolded: true,
	against: `[...document.querySelectorAll(".question > summary *")]
		.filter((word) => getComputedStyle(word).clipPath !== "none").map((word) => word.textContent)`,
}

func TestATableOfThreeColumnsIsCardsOnAPhone(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "01-control-loop/index.html")
	wide := `[...document.querySelectorAll(".table:has([data-c])")].every((table) => table.scrollWidth <= table.clientWidth)`
	assert.True(t, ask[bool](tb, wide))
	below := `(() => {
		const [first, second] = document.querySelectorAll("td[data-c]");
		return second.getBoundingClientRect().top >= first.getBoundingClientRect().bottom;
	})()`
	assert.True(t, ask[bool](tb, below))
	assert.Contains(t, ask[string](tb, `getComputedStyle(document.querySelector("td[data-c=Same]"), "::before").content`), "Same")
	tb.resize(820)
	tb.wait("!" + below)
}

func TestAHeadingHasAnAddressToCopy(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.do(chromedp.Click(chromedp.CSS("#deciding .perma")))
	tb.wait(`location.hash === "#deciding"`)
}

func TestAPageThatIsNotThereHasTheBooksFaceAndItsSearch(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "01-control-loop/of/nothing/index.html")
	require.Contains(t, ask[string](tb, `document.body.textContent`), "This page is not in the book")
	assert.Contains(t, ask[string](tb, `getComputedStyle(document.querySelector("h1")).fontFamily`), "Newsreader Display")
	tb.search("naive")
	tb.press(enter)
	tb.wait(`location.hash === "#the-naive-loop"`)
}

var notesStandFree = claim{
	says:   "no margin note covers another, or a figure",
	widths: []int64{1100, 1440},
	parts:  true,
	against: `(() => {
		const boxes = [...document.querySelectorAll(".body .note, .body figure, .body .table, .body .exercise")]
			.filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()]);
		const found = [];
		for (const [a, x] of boxes) for (const [b, y] of boxes) {
			if (a === b || !a.matches(".note") || a.contains(b) || b.contains(a)) continue;
			const apart = x.right <= y.left || y.right <= x.left || x.bottom <= y.top || y.bottom <= x.top;
			if (!apart) found.push((a.id || a.className) + " covers " + (b.id || b.className));
		}
		return found;
	})()`,
}

var notesStandBesideTheirReferences = claim{
	says:   "no margin note is far from its reference",
	widths: []int64{1100, 1440},
	parts:  true,
	against: `[...document.querySelectorAll(".body .note")].filter((note) => {
		const ref = document.getElementById(note.id.replace("note-", "ref-")).getBoundingClientRect();
		return note.getBoundingClientRect().left < ref.right || Math.abs(note.getBoundingClientRect().top - ref.top) > 600;
	}).map((note) => note.id)`,
}

func TestCodeIsAsLargeAsEightyColumnsFit(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	for width, least := range map[int64]float64{390: 44, 820: 80, 1440: 80} {
		tb := newTab(t, width)
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
		assert.InDelta(t, least+2, columns, 2, "at %d", width)
	}
}

func TestTheContentsHaveNoScrollBarOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/index.html")
	tb.do(chromedp.EmulateViewport(1440, 200))
	assert.True(t, ask[bool](tb, `(({ scrollHeight, clientHeight, offsetWidth, clientWidth }) =>
		scrollHeight > clientHeight && offsetWidth === clientWidth)(document.querySelector(".sections details"))`), "it is scrolled, and shows no bar")
}

func TestAnchorsLandWhereTheyCanBeSeen(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "01-control-loop/queue.go.html#L12")
	marked := ask[bool](tb, `getComputedStyle(document.querySelector("#L12")).backgroundColor !==
		getComputedStyle(document.querySelector("#L13")).backgroundColor`)
	assert.True(t, marked)
}
