package figure

import (
	"fmt"
	"strings"
)

// Paper is a drawing as the tests look at it.
type Paper struct{ *canvas }

func (p Paper) Height() float64 { return p.height }

func (p Paper) SVG() string { return p.body.String() }

// Clear returns an error if a text touches another, or leaves the paper.
func (p Paper) Clear() error { return p.clear(0) }

// Papers returns the wide and the narrow variant of a figure.
func Papers(kind string, data []byte) (map[string]Paper, error) {
	kind, of, _ := strings.Cut(kind, " ")
	d, err := kinds[kind](data, of)
	if err != nil {
		return nil, err
	}
	return map[string]Paper{"wide": {d.wide}, "narrow": {d.narrow}}, nil
}

// LoopPaper returns the loop of the picture for link previews.
func LoopPaper() Paper {
	c := &canvas{width: loopWidth, height: loopHeight}
	drawLoop(c)
	return Paper{c}
}

// FontRules returns the style sheet's rules that the width tables assume.
func FontRules() []string {
	return []string{
		fmt.Sprintf(".fig text{font-size:%vpx", roman.size),
		fmt.Sprintf("font-size:%vpx}\n.fig .f-i", mono.size),
		fmt.Sprintf(".fig .f-n{font-size:%vpx", numeral.size),
	}
}

// Ticks returns the values that an axis marks between two values.
func Ticks(log bool, low, high float64, limit int) []float64 {
	return newScale(log, low, high).ticks(limit)
}

// Wrap wraps text in the mono font, and returns the lines.
func Wrap(width float64, text string) []string {
	var out []string
	for _, l := range wrap(width, span{text, mono}) {
		out = append(out, l.text())
	}
	return out
}

var Clock = clock
