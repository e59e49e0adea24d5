package browser

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

//go:embed testdata/axe/axe.min.js
var axe string

// violation is what axe-core reports, as far as somebody who mends it needs it.
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

// runAxe leaves out what nobody reads: selectors for thousands of links that
// pass take longer than the rules.
const runAxe = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	resultTypes: ["violations"], selectors: false, preload: false,
}).then((results) => JSON.stringify(results.violations))`

// TestPagesKeepToWCAG22 looks at each kind of page on light and on dark paper,
// in the sample, and at each page of the book on one of them: what differs
// between the two is the same colours on every page.
func TestPagesKeepToWCAG22(t *testing.T) {
	schemes := []string{"light", "dark"}
	onEachSite(t, func(t *testing.T, p place) {
		for i, page := range p.pages(t) {
			these := schemes
			if p.book {
				these = schemes[i%2 : i%2+1]
			}
			for _, scheme := range these {
				t.Run(page+" "+scheme, func(t *testing.T) {
					t.Parallel()
					tb := newTab(t, 1440)
					tb.prefer(scheme)
					tb.open(p.url + page)
					tb.unfold()
					tb.sampleCode()
					assertAccessible(t, tb)
				})
			}
		}
	})
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

// sampleCode takes the markup out of all but the first blocks of code and lines of
// listings, and leaves out all but the first declarations of the index. There are
// tens of thousands of elements in them, of a dozen kinds, and looking at all of
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
	tb.search("queue")
	assertAccessible(t, tb)
}

func assertAccessible(t *testing.T, tb *tab) {
	t.Helper()
	ask[bool](tb, axe+";true")
	var violations []violation
	assert.NoError(t, json.Unmarshal([]byte(ask[string](tb, runAxe)), &violations))
	for _, v := range violations {
		t.Error(v)
	}
}
