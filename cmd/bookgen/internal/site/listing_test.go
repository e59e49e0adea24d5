package site

import (
	"html/template"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsFoldedKeepsTheNumbersOfItsLines(t *testing.T) {
	p := &page{Listing: &Listing{
		File: "plan.go", Code: []template.HTML{"one", "two", "three", "four"},
		Folds: []Fold{{First: 2, Last: 3, Summary: "Exercise 1b"}},
	}}
	assert.Equal(t, `<pre tabindex="0" role="region" aria-label="plan.go, lines 1 to 1"><code style="counter-reset: line 0">`+
		`<span class="line" id="L1">one`+"\n</span></code></pre>"+
		`<details class="answer within" open><summary><span>Exercise 1b<span class=ask> · write it before you look</span></span></summary>`+
		`<pre tabindex="0" role="region" aria-label="plan.go, lines 2 to 3"><code style="counter-reset: line 1">`+
		`<span class="line" id="L2">two`+"\n</span>"+`<span class="line" id="L3">three`+"\n</span></code></pre></details>"+
		`<pre tabindex="0" role="region" aria-label="plan.go, lines 4 to 4"><code style="counter-reset: line 3">`+
		`<span class="line" id="L4">four`+"\n</span></code></pre>", string(p.Code()))
}
