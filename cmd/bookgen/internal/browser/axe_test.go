package browser

import (
	_ "embed"
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

//go:embed testdata/axe/axe.min.js
var axe string

// violation holds as much of axe-core's report as it takes to mend the page.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

func (v violation) String() string {
	var out strings.Builder
	out.WriteString(v.ID + ": " + v.Help)
	for i, node := range v.Nodes {
		if i == 5 {
			out.WriteString("\n  and more")
			break
		}
		out.WriteString("\n  " + node.HTML + "\n    " + node.Summary)
	}
	return out.String()
}

// allRules leaves out results that no test reads: selectors for thousands of
// links that pass take longer than the rules.
const allRules = `{
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	resultTypes: ["violations"], selectors: false, preload: false,
}`

var whole = flag.Bool("whole", false,
	"look at all pages that are read, with axe at all widths and on both papers")

// look is a page, at each width on each paper, for axe to look at.
type look struct {
	page   string
	widths []int64
	papers []string
}

var (
	desk       = []int64{1440}
	everyWidth = []int64{1440, 820, 390}
	bothPapers = []string{"light", "dark"}
)

// TestPagesKeepToWCAG22 looks at the sample on light and on dark paper, and, of
// the book, at the longest page of each kind and at those that have changed
// since axe saw all of them, on one of the papers: the difference between the
// two is the same colours on every page. With -whole it looks at all pages, at
// all widths and on both papers, and with -update it records their digests.
func TestPagesKeepToWCAG22(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		looks := p.looks(t)
		var passed, times atomic.Int64
		t.Cleanup(func() {
			t.Logf("axe looked %d times at %d of %d pages", times.Load(), len(looks), len(p.pages(t)))
			switch all := int64(len(looks)); {
			case !p.book || !*update:
			case !*whole || passed.Load() < all:
				t.Errorf("%s is as it was: with -whole, %d of %d pages are as they should be", seen, passed.Load(), all)
			default:
				p.record(t)
			}
		})
		for _, l := range looks {
			t.Run(l.page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, l.widths[0])
				tb.open(p.url + l.page)
				tb.unfold()
				tb.sampleCode()
				for _, width := range l.widths {
					tb.resize(width)
					for _, paper := range l.papers {
						tb.prefer(paper)
						assertAccessible(t, tb)
						times.Add(1)
					}
				}
				if !t.Failed() {
					passed.Add(1)
				}
			})
		}
	})
}

func (p place) looks(t *testing.T) []look {
	t.Helper()
	if *whole {
		return at(everyWidth, bothPapers, p.pages(t))
	}
	if !p.book {
		return at(desk, bothPapers, p.pages(t))
	}
	pages := p.changed(t)
	for _, kind := range append(p.read(t), p.listings(t)...) {
		pages = append(pages, p.longest(t, kind))
	}
	slices.Sort(pages)
	var looks []look
	for i, page := range slices.Compact(pages) {
		looks = append(looks, look{page, desk, bothPapers[i%2 : i%2+1]})
	}
	return looks
}

// at returns a look at each page.
func at(widths []int64, papers, pages []string) []look {
	var looks []look
	for _, page := range pages {
		looks = append(looks, look{page, widths, papers})
	}
	return looks
}

func TestFoldedPagesOnAPhoneKeepToWCAG22(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 390)
	for _, page := range p.pages(t) {
		tb.open(p.url + page)
		assertAccessible(t, tb)
	}
	tb.open(p.url + p.chapters(t)[0])
	tb.unfold()
	assertAccessible(t, tb)
}

// TestTargetsAreLargeEnoughForAThumb looks at all pages that are read, on a
// phone: what axe says of sizes there it does not say at a desk.
func TestTargetsAreLargeEnoughForAThumb(t *testing.T) {
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range p.pages(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, 390)
				tb.open(p.url + page)
				tb.unfold()
				ask[bool](tb, `document.querySelectorAll(".sections details").forEach((list) => { list.open = false }), true`) // it lies over the text
				tb.sampleCode()
				tb.assertNoViolation(t, `{ runOnly: { type: "rule", values: ["target-size"] }, resultTypes: ["violations"] }`)
			})
		}
	})
}

// sampleCode takes the markup out of all but the first blocks of code and lines
// of listings, and leaves out all but the first declarations of the index. They
// hold tens of thousands of elements, of a dozen kinds, and looking at all of
// them takes longer than at everything else.
func (tb *tab) sampleCode() {
	tb.t.Helper()
	ask[bool](tb, `(() => {
		const beyond = (selector, count) => [...document.querySelectorAll(selector)].slice(count);
		beyond(".body .code pre > code", 12).forEach((code) => { code.textContent = code.textContent });
		beyond(".whole .line", 40).forEach((line) => line.remove());
		beyond(".symbol", 100).forEach((symbol) => symbol.remove());
		return true;
	})()`)
}

// unfold opens everything that is folded.
func (tb *tab) unfold() {
	tb.t.Helper()
	ask[bool](tb, `document.querySelectorAll("details").forEach((d) => { d.open = true }), true`)
}

func TestDialogsKeepToWCAG22(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "index.html")
	tb.press("?")
	tb.wait(`!!document.querySelector("#keys[open]")`)
	assertAccessible(t, tb)
	tb.press(escape)
	tb.wait(`!document.querySelector("#keys")`) // a closed dialog keeps the keys until it is removed
	tb.search("queue")
	assertAccessible(t, tb)
}

func assertAccessible(t *testing.T, tb *tab) {
	t.Helper()
	tb.assertNoViolation(t, allRules)
}

// assertNoViolation lets axe look at the page, as the options say.
func (tb *tab) assertNoViolation(t *testing.T, options string) {
	t.Helper()
	if !ask[bool](tb, `"axe" in window`) {
		ask[bool](tb, axe+";true")
	}
	run := "axe.run(document, " + options + ").then((results) => JSON.stringify(results.violations))"
	var violations []violation
	assert.NoError(t, json.Unmarshal([]byte(ask[string](tb, run)), &violations))
	for _, v := range violations {
		t.Error(v)
	}
}
