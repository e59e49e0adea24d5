package browser

import (
	_ "embed"
	"encoding/json"
	"flag"
	"strings"
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

// paperRules are those whose answer the paper changes: by colours, and by pictures
// that are there for one of the two.
const paperRules = `{
	runOnly: ["color-contrast", "link-in-text-block", "image-alt"],
	resultTypes: ["violations"], selectors: false, preload: false,
}`

// TestPagesKeepToWCAG22 looks at pages on light paper, and at what is otherwise on
// dark; with -whole at everything there, too, and at two more widths.
func TestPagesKeepToWCAG22(t *testing.T) {
	t.Parallel()
	widths, onDark := []int64{1440}, paperRules
	if *whole {
		widths, onDark = append(widths, 820, 390), allRules
	}
	onEachSite(t, func(t *testing.T, p place) {
		for _, page := range p.pages(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, widths[0])
				tb.open(p.url + page)
				tb.unfold()
				tb.sampleCode()
				for _, width := range widths {
					tb.resize(width)
					tb.prefer("light")
					assertAccessible(t, tb)
					tb.prefer("dark")
					tb.assertNoViolation(t, onDark)
				}
			})
		}
	})
}

func TestFoldedPagesOnAPhoneKeepToWCAG22(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
