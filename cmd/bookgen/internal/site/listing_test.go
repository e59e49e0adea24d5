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
