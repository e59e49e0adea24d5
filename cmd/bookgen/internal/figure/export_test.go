package figure

import (
	"fmt"
	"strings"
)

// Box is what one line of text covers.
type Box struct {
	Left, Top, Right, Bottom float64
	Text                     string
}

// Paper is a drawing as the tests look at it.
type Paper struct {
	Width, Height float64
	Texts         []Box
}

func paper(c *canvas) Paper {
	p := Paper{Width: c.width, Height: c.height}
	for _, b := range c.boxes {
		p.Texts = append(p.Texts, Box{b.left, b.top, b.right, b.bottom, b.text})
	}
	return p
}

// Papers returns the wide and the narrow variant of a figure.
func Papers(kind string, data []byte) (map[string]Paper, error) {
	kind, of, _ := strings.Cut(kind, " ")
	d, err := kinds[kind](data, of)
	if err != nil {
		return nil, err
	}
	return map[string]Paper{"wide": paper(d.wide), "narrow": paper(d.narrow)}, nil
}

// LoopPaper returns the loop of the picture for link previews.
func LoopPaper() Paper {
	c := &canvas{width: loopWidth, height: loopHeight}
	drawLoop(c)
	return paper(c)
}

// FontRules returns the style sheet's rules that the width tables assume.
func FontRules() []string {
	return []string{
		fmt.Sprintf(".fig text{font-size:%vpx", roman.size),
		fmt.Sprintf("font-size:%vpx}\n.fig .f-i", mono.size),
		fmt.Sprintf(".fig .f-n{font-size:%vpx", numeral.size),
	}
}

// Ticks returns what an axis marks between two values.
func Ticks(log bool, low, high float64, limit int) []float64 {
	return newScale(log, low, high).ticks(limit)
}

// Wrap wraps text in the mono font, and returns the lines.
func Wrap(width float64, text string) []string {
	var out []string
	for _, l := range wrap(width, span{text, mono}) {
		s := ""
		for _, part := range l {
			s += part.text
		}
		out = append(out, s)
	}
	return out
}

var (
	Quantity = quantity
	Clock    = clock
)
