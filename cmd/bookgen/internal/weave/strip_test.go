package weave

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/cmd/bookgen/internal/node"
)

func TestALongLineGoesOnInItsLastColumn(t *testing.T) {
	for line, want := range map[string]string{
		"short":                 "short\n",
		strings.Repeat("x", 33): "<span class=l>" + strings.Repeat("x", 33) + "\n</span>",
		"NAME        READY   " + strings.Repeat("x", 20): "<span class=l style=--c:20>NAME        READY   " + strings.Repeat("x", 20) + "\n</span>",
		"    - " + strings.Repeat("x", 40):               "<span class=l style=--c:6>    - " + strings.Repeat("x", 40) + "\n</span>",
	} {
		assert.Equal(t, want, node.List{printedLine(line)}.String())
	}
}

func TestAStripIsAsWideAsItsLines(t *testing.T) {
	line := func(columns int) string { return strings.Repeat("x", columns) }
	assert.Empty(t, stripClass([]string{line(84)}))
	assert.Equal(t, " wide", stripClass([]string{line(85), line(3)}))
}

func TestNodesStandInASentence(t *testing.T) {
	assert.Equal(t, "<i>a</i>, <i>b</i> and <i>c</i>",
		sentence(node.List{node.New("i", "a"), node.New("i", "b"), node.New("i", "c")}).String())
	assert.Equal(t, "<i>a</i>", sentence(node.List{node.New("i", "a")}).String())
}
