package browser

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// sheetWidth is that of the text on paper: A4 without its margins, in pixels.
const sheetWidth = 642

// printedOver lists the lines of text that another line, or a rule, is printed
// over. Of a line only the middle counts, where its letters are: what letters
// have above and below reaches into the next line as it should.
const printedOver = `(() => {
	const boxes = [];
	const add = (what, { left, right, top, bottom }, letters) => {
		const spare = letters ? (bottom - top) * .22 : 0;
		if (right - left > 2) boxes.push({ what, letters, left: left + 1, right: right - 1, top: top + spare, bottom: bottom - spare });
	};
	const hidden = new Map(); // what is there for who listens alone
	const isHidden = (e) => {
		if (!e) return false;
		if (!hidden.has(e)) hidden.set(e, getComputedStyle(e).clipPath !== "none" || isHidden(e.parentElement));
		return hidden.get(e);
	};
	const all = [...document.body.querySelectorAll("*")].filter((e) => !e.closest("svg, script, style") &&
		e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && !isHidden(e));
	const range = document.createRange();
	for (const e of all) {
		for (const node of e.childNodes) {
			if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
			range.selectNodeContents(node);
			for (const line of range.getClientRects()) add(node.data.trim(), line, true);
		}
		const style = getComputedStyle(e);
		if (style.display === "inline") continue;
		const box = e.getBoundingClientRect();
		const [above, below] = [parseFloat(style.borderTopWidth), parseFloat(style.borderBottomWidth)];
		const { left, right, top, bottom } = box;
		if (above) add("a rule", { left, right, top, bottom: top + above });
		if (below) add("a rule", { left, right, top: bottom - below, bottom });
	}
	boxes.sort((a, b) => a.top - b.top);
	const found = [];
	boxes.forEach((a, i) => {
		for (const b of boxes.slice(i + 1, i + 60)) {
			if (b.top >= a.bottom) break;
			if ((a.letters || b.letters) && a.left < b.right && b.left < a.right) found.push(a.what.slice(0, 40) + " | " + b.what.slice(0, 40));
		}
	});
	return found;
})()`

func TestNothingIsPrintedOverALineOfText(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		pages := append(p.parts(t), p.wholes(t)...)
		pages = append(pages, "how-to-read.html", "words.html", p.longest(t, p.glob(t, "*/exercises/*.md.html")), p.longest(t, p.glob(t, "teach/*/handout.html")))
		for _, page := range p.sample(t, pages) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, sheetWidth)
				tb.open(p.url + page)
				tb.print()
				assert.Empty(t, ask[[]string](tb, printedOver))
			})
		}
	})
}
