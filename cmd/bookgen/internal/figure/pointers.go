package figure

import (
	"cmp"
	"strings"
)

const (
	stateGap  = 12  // from state to state
	arrowRoom = 48  // from a volume's box down to its claim's
	sideBox   = 116 // how wide either is where they stand beside each other
)

// untouched heads the first state, which no write has made.
var untouched = line{{"before", font{size: italic.size, widths: italic.widths}}}

// drawPointers draws how a volume and a claim come to name each other, a state
// after each write. What that has changed stands out.
func drawPointers(data []byte) (drawing, error) {
	b, err := readBinding(data)
	if err != nil {
		return drawing{}, err
	}
	title := b.Title
	if title == "" {
		title = "Who names whom, write by write"
	}
	return drawing{title, b.wide(), b.narrow()}, nil
}

// wide places the states beside each other, the claim below the volume.
func (b *binding) wide() *canvas {
	c := &canvas{width: wideWidth}
	n := float64(len(b.States))
	box := (wideWidth - 2 - stateGap*(n-1)) / n
	var wrote [][]line
	heads, height := 0, 0.0
	for i, s := range b.States {
		wrote = append(wrote, wrapEach(box, s.Wrote))
		heads = max(heads, len(wrote[i]))
		height = max(height, s.Volume.height(box), s.Claim.height(box))
	}
	above := 26 + leading*float64(heads) + 6
	below := above + height + arrowRoom
	foot := below + height + 20
	for i := range b.States {
		s := &b.States[i]
		x := 1 + (box+stateGap)*float64(i)
		if i == 0 {
			c.text(x+box/2, 16.5, middle, "f-i", untouched)
		} else {
			number(c, x+box/2, 12, i)
		}
		c.text(x+box/2, 38, middle, "", wrote[i]...)
		s.Volume.draw(c, x, above, box, height)
		s.Claim.draw(c, x, below, box, height)
		s.Volume.point(c, point{x + box*0.35, above + height}, point{x + box*0.35, below})
		s.Claim.point(c, point{x + box*0.65, below}, point{x + box*0.65, above + height})
		c.text(x+box/2, foot, middle, "f-i", plain([]line{{{s.left(), italic}}})...)
	}
	c.height = foot + 6
	return c
}

// wrapEach wraps fields, each from a line of its own on.
func wrapEach(width float64, fields []string) (lines []line) {
	for _, f := range fields {
		lines = append(lines, wrap(width, span{f, mono})...)
	}
	return lines
}

// narrow places them below each other, the claim beside the volume.
func (b *binding) narrow() *canvas {
	c := &canvas{width: narrowWidth}
	y := 0.0
	for i := range b.States {
		s := &b.States[i]
		left := line{{s.left(), italic}}
		wrote := wrap(c.width-56-left.width(), span{strings.Join(s.Wrote, ", "), mono})
		if i == 0 {
			c.text(1, y+16.5, start, "f-i", untouched)
		} else {
			number(c, 11, y+12, i)
		}
		c.text(28, y+16.5, start, "", wrote...)
		c.text(c.width, y+16.5, end, "f-i", plain([]line{left})...)
		y += 28 + leading*float64(max(0, len(wrote)-1))

		height := max(s.Volume.height(sideBox), s.Claim.height(sideBox))
		from, to := sideBox+1.0, c.width-sideBox-1
		s.Volume.draw(c, 1, y, sideBox, height)
		s.Claim.draw(c, to, y, sideBox, height)
		s.Volume.point(c, point{from, y + height*0.32}, point{to, y + height*0.32})
		s.Claim.point(c, point{to, y + height*0.68}, point{from, y + height*0.68})
		y += height + stateGap
	}
	c.height = y - stateGap + 1
	return c
}

// contents are what a box says, without the phase, and the phase.
func (p *party) contents(box float64) (who, phase []line) {
	who = wrap(box-2*boxPadding, span{p.kind, roman}, span{p.name, mono})
	return who, wrap(box-2*boxPadding, span{p.Phase, roman})
}

func (p *party) height(box float64) float64 {
	who, phase := p.contents(box)
	return leading*float64(len(who)+len(phase)) + 2*boxPadding
}

// draw draws the box: filled if it was written to just now.
func (p *party) draw(c *canvas, x, y, box, height float64) {
	outline, news := "f-y", ""
	if p.written() {
		outline = "f-j"
	} else {
		c.rect("f-b", x, y, box, height)
	}
	if p.phased {
		news = "f-s0"
	}
	c.path(outline, "M"+num(x)+" "+num(y)+"h"+num(box)+"v"+num(height)+"h"+num(-box)+"z")
	who, phase := p.contents(box)
	y += boxPadding + 12
	c.text(x+boxPadding, y, start, "", who...)
	c.text(x+boxPadding, y+leading*float64(len(who)), start, news, phase...)
}

// point draws an arrow, if p names the other: with a full head if it does so
// only now.
func (p *party) point(c *canvas, from, to point) {
	if p.To == "" {
		return
	}
	dx, dy := float64(cmp.Compare(to.x, from.x)), float64(cmp.Compare(to.y, from.y))
	from = point{from.x + dx, from.y + dy}
	to = point{to.x - dx, to.y - dy}
	neck := point{to.x - 8*dx, to.y - 8*dy}
	one := point{neck.x - 4.5*dy, neck.y + 4.5*dx}
	other := point{neck.x + 4.5*dy, neck.y - 4.5*dx}
	if p.named {
		c.path("f-a", "M"+pair(from)+"L"+pair(neck))
		c.path("f-h", "M"+pair(to)+"L"+pair(one)+"L"+pair(other)+"z")
		return
	}
	c.path("f-y", "M"+pair(from)+"L"+pair(to)+"M"+pair(one)+"L"+pair(to)+"L"+pair(other))
}
