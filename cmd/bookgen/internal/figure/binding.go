package figure

import "cmp"

// drawBinding draws a row a moment: a volume with its claims beside it, and an
// arrow from each to the one that it names. What has changed since the row above
// has the accent's colour.
func drawBinding(data []byte) (drawing, error) {
	t, err := readTies(data)
	if err != nil {
		return drawing{}, err
	}
	return drawing{
		title:  cmp.Or(t.Title, "Who names whom"),
		wide:   t.draw(wideWidth, 200),
		narrow: t.draw(narrowWidth, 0),
	}, nil
}

// A bond is such a drawing in the making.
type bond struct {
	*ties
	*canvas
	label     float64 // how wide the moments' column is; 0: they stand above
	wide, gap float64 // of the boxes
}

const bondHeight = 44.0

func (t *ties) draw(width, label float64) *canvas {
	b := &bond{ties: t, canvas: &canvas{width: width}, label: label, gap: 38}
	b.wide = (width - 2 - label - 2*b.gap) / 3
	y := b.drawHeads()
	for i := range t.Moments {
		y = b.drawMoment(i, y)
	}
	b.height = y - 8
	return b.canvas
}

// left returns where a column's boxes begin: a claim, the volume, another claim.
func (b *bond) left(column int) float64 {
	return b.label + 1 + float64(column)*(b.wide+b.gap)
}

// columnOf returns the column of a claim.
func columnOf(claim int) int { return 2 * claim }

// drawHeads says above the columns what is in them.
func (b *bond) drawHeads() float64 {
	heads := []string{"claim", "volume"}
	if len(b.Moments[len(b.Moments)-1].Claims) == maxClaims {
		heads = append(heads, "claim")
	}
	for column, head := range heads {
		b.text(b.left(column)+b.wide/2, textRise, middle, "f-i", line{{head, italic}})
	}
	return leading + 4
}

// drawMoment draws one row, and returns where the next one begins.
func (b *bond) drawMoment(i int, y float64) float64 {
	m := b.Moments[i]
	before := b.Moments[max(0, i-1)]
	room := b.label - 16
	if b.label == 0 {
		room = b.width
	}
	says := wrap(room, span{m.When, roman})
	high := leading * float64(len(says))
	if b.label == 0 {
		b.text(0, y+textRise, start, "", says...)
		y += high + 5
	} else {
		b.text(0, y+(bondHeight-high)/2+textRise, start, "", says...)
	}
	b.drawBox(1, y, m.Volume, m.Volume != before.Volume)
	for c, claim := range m.Claims {
		fresh := c >= len(before.Claims) || claim != before.Claims[c]
		b.drawBox(columnOf(c), y, claim, fresh)
		if m.Volume.To == claim.Name {
			b.drawArrow(1, columnOf(c), y+15, before.Volume.To != claim.Name)
		}
		if claim.To != "" {
			b.drawArrow(columnOf(c), 1, y+29, c >= len(before.Claims) || before.Claims[c].To == "")
		}
	}
	return y + bondHeight + 14
}

// drawBox draws a thing with its phase. The box of one that is gone is dotted.
func (b *bond) drawBox(column int, y float64, is tied, fresh bool) {
	box, text := "f-b f-y", ""
	switch {
	case is.Phase == gone:
		box, text = "f-q", "f-u"
	case fresh:
		box = "f-j"
	}
	x := b.left(column)
	b.rect(box, x, y, b.wide, bondHeight)
	b.text(x+9, y+18, start, text, line{{is.Name, mono}}, line{{is.Phase, roman}})
}

// drawArrow draws an arrow from one column to another.
func (b *bond) drawArrow(from, to int, y float64, fresh bool) {
	tail, tip, back := b.left(from), b.left(to)+b.wide, 8.0
	if from < to {
		tail, tip, back = b.left(from)+b.wide, b.left(to), -8.0
	}
	if fresh {
		b.path("f-a", "M"+num(tail)+" "+num(y)+"H"+num(tip+back))
		b.path("f-h", "M"+num(tip)+" "+num(y)+"l"+num(back)+" -4.5v9z")
		return
	}
	b.path("f-y", "M"+num(tail)+" "+num(y)+"H"+num(tip)+"m"+num(back)+" -4.5l"+num(-back)+" 4.5l"+num(back)+" 4.5")
}
