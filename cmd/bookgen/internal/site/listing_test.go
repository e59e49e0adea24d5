package site

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnElementOverSeveralLinesIsClosedAndOpenedAgain(t *testing.T) {
	lines := splitLines("<i>/* one\ntwo */</i>\n<b>func</b> f\n")
	assert.Equal(t, []string{
		`<i>/* one</i>`,
		`<i>two */</i>`,
		`<b>func</b> f`,
	}, lines)
}

func TestNestedElementsAreOpenedAgainInTheirOrder(t *testing.T) {
	lines := splitLines("<span class=\"ctx\"><a href=\"#x\">a\nb</a>\n</span>")
	assert.Equal(t, []string{
		`<span class="ctx"><a href="#x">a</a></span>`,
		`<span class="ctx"><a href="#x">b</a></span>`,
		`<span class="ctx"></span>`,
	}, lines)
}

func TestWhatIsFoldedKeepsTheNumbersOfItsLines(t *testing.T) {
	p := &page{Listing: &Listing{
		File: "plan.go", Body: "one\ntwo\nthree\nfour\n",
		Folds: []Fold{{First: 2, Last: 3, Summary: "Exercise 1.1"}},
	}}
	assert.Equal(t, `<pre tabindex="0" role="region" aria-label="plan.go, lines 1 to 1"><code style="counter-reset: line 0">`+
		`<span class="line" id="L1">one`+"\n</span></code></pre>"+
		`<details class="answer within" open><summary><span>Exercise 1.1<span class=ask> · write it before you look</span></span></summary>`+
		`<pre tabindex="0" role="region" aria-label="plan.go, lines 2 to 3"><code style="counter-reset: line 1">`+
		`<span class="line" id="L2">two`+"\n</span>"+`<span class="line" id="L3">three`+"\n</span></code></pre></details>"+
		`<pre tabindex="0" role="region" aria-label="plan.go, lines 4 to 4"><code style="counter-reset: line 3">`+
		`<span class="line" id="L4">four`+"\n</span></code></pre>", string(p.Code()))
}
