package figure

import "strconv"

const (
	boxPadding  = 9
	rowGap      = 46 // from an owner's box down to those of what it owns
	listGap     = 12 // from box to box on a phone
	indent      = 26
	numberRoom  = 24 // beside an object's kind, for its number
	arrowLength = 30 // in the legend
)

// drawOwners draws who owns whom: a box an object, and an arrow from each up to
// its owner.
func drawOwners(data []byte) (drawing, error) {
	wide, err := readHousehold(data)
	if err != nil {
		return drawing{}, err
	}
	narrow, err := readHousehold(data)
	if err != nil {
		return drawing{}, err
	}
	title := wide.Title
	if title == "" {
		title = "Who owns whom"
	}
	return drawing{title, wide.wide(), narrow.narrow()}, nil
}

// wide places what an owner has beside each other below it.
func (h *household) wide() *canvas {
	c := &canvas{width: wideWidth}
	slot := min(190, wideWidth/float64(h.leaves()))
	left := (wideWidth - slot*float64(h.leaves())) / 2
	heights := make([]float64, maxDepth)
	for _, m := range h.all {
		m.box = slot - 14
		m.set()
		heights[m.depth] = max(heights[m.depth], m.height())
	}
	for i := len(h.all) - 1; i >= 0; i-- { // what is owned before its owner
		m := h.all[i]
		if len(m.owns) > 0 {
			m.at.x = (m.owns[0].at.x + m.owns[len(m.owns)-1].at.x) / 2
			continue
		}
		m.at.x = left + slot*(float64(h.leavesBefore(i))+0.5)
	}
	bottom := 0.0
	for _, m := range h.all {
		m.at.y = 1
		for depth := range m.depth {
			m.at.y += heights[depth] + rowGap
		}
		bottom = max(bottom, m.at.y+m.height())
	}
	for _, m := range h.all {
		m.draw(c)
		if m.parent != nil {
			m.arrowUp(c)
		}
	}
	h.drawLegend(c, bottom+26)
	return c
}

// leavesBefore counts the objects before the i-th that own nothing.
func (h *household) leavesBefore(i int) (n int) {
	for _, m := range h.all[:i] {
		if len(m.owns) == 0 {
			n++
		}
	}
	return n
}

// narrow places them below each other, what is owned further to the right.
func (h *household) narrow() *canvas {
	c := &canvas{width: narrowWidth}
	y := 1.0
	for _, m := range h.all {
		m.box = narrowWidth - 2 - indent*float64(m.depth)
		m.set()
		m.at = point{1 + indent*float64(m.depth) + m.box/2, y}
		y += m.height() + listGap
	}
	for _, m := range h.all {
		m.draw(c)
		if m.parent != nil {
			m.arrowLeft(c)
		}
	}
	h.drawLegend(c, y+14)
	return c
}

// set wraps what is written in the box.
func (m *member) set() {
	width := m.box - 2*boxPadding
	m.contents = wrap(width-numberRoom, span{m.Kind, roman})
	m.contents = append(m.contents, wrap(width, span{m.Name, mono})...)
	m.contents = append(m.contents, wrap(width, span{"uid " + m.UID, faint})...)
	if m.Note != "" {
		m.contents = append(m.contents, wrap(width, span{m.Note, italic})...)
	}
}

func (m *member) height() float64 {
	return leading*float64(len(m.contents)) + 2*boxPadding
}

func (m *member) left() float64 { return m.at.x - m.box/2 }

// draw draws the box, and in its corner the how manieth the object is to go.
func (m *member) draw(c *canvas) {
	c.rect("f-b", m.left(), m.at.y, m.box, m.height())
	c.path("f-y", "M"+num(m.left())+" "+num(m.at.y)+"h"+num(m.box)+
		"v"+num(m.height())+"h"+num(-m.box)+"z")
	c.text(m.left()+boxPadding, m.at.y+boxPadding+12, start, "", m.contents...)
	if m.Gone > 0 {
		number(c, m.left()+m.box-boxPadding-8, m.at.y+boxPadding+6, m.Gone)
	}
}

func number(c *canvas, x, y float64, n int) {
	c.circle("f-o", x, y, 10)
	c.text(x, y+4.2, middle, "f-n", line{{strconv.Itoa(n), numeral}})
}

// arrowUp leads from the top of m's box to the bottom of its owner's.
func (m *member) arrowUp(c *canvas) {
	tip := point{m.parent.at.x, m.parent.at.y + m.parent.height()}
	across := m.at.y - rowGap/2
	d := "M" + pair(m.at) + "V" + num(across)
	if tip.x != m.at.x {
		d += "H" + num(tip.x)
	}
	c.path("f-a", d+"V"+num(tip.y+7))
	c.path("f-h", "M"+pair(tip)+"l-4.5 9h9z")
	if m.Blocks {
		c.path("f-a", "M"+num(m.at.x-7)+" "+num(m.at.y-6)+"h14")
	}
}

// arrowLeft leads from the side of m's box to the bottom of its owner's.
func (m *member) arrowLeft(c *canvas) {
	tip := point{m.parent.left() + indent/2, m.parent.at.y + m.parent.height()}
	y := m.at.y + m.height()/2
	c.path("f-a", "M"+num(m.left())+" "+num(y)+"H"+num(tip.x)+"V"+num(tip.y+7))
	c.path("f-h", "M"+pair(tip)+"l-4.5 9h9z")
	if m.Blocks {
		c.path("f-a", "M"+num(m.left()-5)+" "+num(y-6)+"v12")
	}
}

// drawLegend says below y what arrows, bars and numbers mean, those that there
// are.
func (h *household) drawLegend(c *canvas, y float64) {
	var blocking, free, going bool
	for _, m := range h.all {
		blocking = blocking || m.parent != nil && m.Blocks
		free = free || m.parent != nil && !m.Blocks
		going = going || m.Gone > 0
	}
	entry := func(means string, draw func(y float64)) {
		draw(y)
		lines := wrap(c.width-arrowLength-14, span{means, roman})
		c.text(arrowLength+12, y+4.5, start, "f-u", lines...)
		y += leading*float64(len(lines)) + 6
	}
	arrow := func(y float64) {
		c.path("f-a", "M0 "+num(y)+"H"+num(arrowLength-7))
		c.path("f-h", "M"+num(arrowLength)+" "+num(y)+"l-9-4.5v9z")
	}
	if blocking {
		entry("belongs to, and the owner may not go first (blockOwnerDeletion)", func(y float64) {
			arrow(y)
			c.path("f-a", "M6 "+num(y-6)+"v12")
		})
	}
	if free {
		entry("belongs to, and does not keep the owner", arrow)
	}
	if going {
		entry("the order in which they go", func(y float64) { number(c, arrowLength/2, y, 1) })
	}
	c.height = y
}
