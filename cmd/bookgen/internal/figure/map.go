package figure

const (
	stationGap  = 26 // from box to box, with an arrow in it
	headGap     = 30 // the same, between boxes that stand below each other
	boxPadding  = 9  // between a box and its content
	returnDepth = 15 // how far below the boxes the way back lies
)

// drawMap draws what a chapter builds: a box a station, joined by arrows, the
// last one back to the first. built says how many of the stations are built; if
// none is, it is the whole plan, and says what each of them answers.
func drawMap(data []byte, built string) (drawing, error) {
	m, err := readItinerary(data, built)
	if err != nil {
		return drawing{}, err
	}
	title := m.Title
	if title == "" {
		title = "What is built, and what is to come"
	}
	if m.built == 0 {
		return drawing{title, m.widePlan(), m.narrowPlan()}, nil
	}
	return drawing{title, m.wideStrip(), m.narrowStrip()}, nil
}

// A row is boxes of one size beside each other.
type row struct {
	left, top, box, height, gap float64
}

func (r row) x(i int) float64      { return r.left + float64(i)*(r.box+r.gap) }
func (r row) middle(i int) float64 { return r.x(i) + r.box/2 }

// row divides the width of c among the stations.
func (m *itinerary) row(c *canvas, height, gap float64) row {
	n := float64(len(m.Stations))
	return row{left: 1, top: 1, box: (c.width - 2 - gap*(n-1)) / n, height: height, gap: gap}
}

// drawRow draws the boxes and the arrows between them.
func (m *itinerary) drawRow(c *canvas, r row) {
	for i := range m.Stations {
		m.frame(c, i, r.x(i), r.top, r.box, r.height)
		if i > 0 {
			y := r.top + r.height/2
			c.path("f-a", "M"+num(r.x(i)-r.gap)+" "+num(y)+"H"+num(r.x(i)-7))
			c.path("f-h", "M"+num(r.x(i)-1)+" "+num(y)+"l-8-4.5v9z")
		}
	}
}

// wayBack leads from the last box at right, down to y, to the first at left,
// and names in the middle what goes that way.
func (m *itinerary) wayBack(c *canvas, r row, left, right, y float64) {
	bottom := r.top + r.height
	half := line{{m.Back, italic}}.width()/2 + 6
	c.path("f-a", "M"+num(right)+" "+num(bottom)+"V"+num(y)+"H"+num(c.width/2+half))
	c.path("f-a", "M"+num(c.width/2-half)+" "+num(y)+"H"+num(left)+"V"+num(bottom+7))
	c.path("f-h", "M"+num(left)+" "+num(bottom+1)+"l-4.5 8h9z")
	c.text(c.width/2, y+4.5, middle, "", line{{m.Back, italic}})
}

// frame draws the i-th station's box.
func (m *itinerary) frame(c *canvas, i int, x, y, width, height float64) {
	if m.built > 0 && i < m.built-1 {
		c.rect("f-b", x, y, width, height)
	}
	c.path(m.look(i), "M"+num(x)+" "+num(y)+"h"+num(width)+"v"+num(height)+"h"+num(-width)+"z")
}

// wideStrip returns the map at the head of a section.
func (m *itinerary) wideStrip() *canvas {
	c := &canvas{width: wideWidth}
	room := m.row(c, 0, stationGap).box - 6
	var said [][]line
	most := 0
	for i, s := range m.Stations {
		lines := wrap(room, span{s.Label, m.font(i)})
		if i < m.built {
			lines = append(lines, wrap(room, span{s.File, faint})...)
		}
		said = append(said, lines)
		most = max(most, len(lines))
	}
	r := m.row(c, leading*float64(most)+2*boxPadding, stationGap)
	m.drawRow(c, r)
	for i, lines := range said {
		y := r.top + (r.height-leading*float64(len(lines)))/2 + 12.5
		c.text(r.middle(i), y, middle, "", lines...)
	}
	y := r.top + r.height + returnDepth
	m.wayBack(c, r, r.middle(0), r.middle(len(m.Stations)-1), y)
	c.height = y + 8
	return c
}

// font returns the font of the i-th station's name.
func (m *itinerary) font(i int) font {
	if m.built > 0 && i >= m.built {
		return muted
	}
	return roman
}

// narrowStrip returns the same for a phone, on which only the station that is
// built now has room for its name.
func (m *itinerary) narrowStrip() *canvas {
	c := &canvas{width: narrowWidth}
	r := m.row(c, 20, 20)
	m.drawRow(c, r)
	y := r.top + r.height + returnDepth
	m.wayBack(c, r, r.middle(0), r.middle(len(m.Stations)-1), y)
	now := m.Stations[m.built-1]
	lines := wrap(c.width, span{now.Label, roman}, span{now.File, faint})
	c.text(c.width/2, y+26, middle, "", lines...)
	c.height = y + 34 + leading*float64(len(lines)-1)
	return c
}

// widePlan returns the map before the walk.
func (m *itinerary) widePlan() *canvas {
	c := &canvas{width: wideWidth}
	room := m.row(c, 0, stationGap).box
	var names, answers [][]line
	mostNames, mostAnswers := 0, 0
	for _, s := range m.Stations {
		name := wrap(room-6, span{s.Label, roman})
		answer := balance(room-26, span{s.Answers, italic})
		names, answers = append(names, name), append(answers, answer)
		mostNames, mostAnswers = max(mostNames, len(name)), max(mostAnswers, len(answer))
	}
	r := m.row(c, leading*float64(mostNames)+40, stationGap)
	m.drawRow(c, r)
	below := r.top + r.height + 20
	back := below + leading*float64(mostAnswers) + 14
	for i := range m.Stations {
		y := r.top + (r.height-leading*float64(len(names[i])))/2 + 12.5
		c.text(r.middle(i), y, middle, "", names[i]...)
		c.text(r.middle(i), below, middle, "f-i", plain(answers[i])...)
	}
	m.wayBack(c, r, 6, c.width-6, back) // around the answers below the boxes
	c.height = back + 8
	return c
}

// narrowPlan returns the same for a phone, from top to bottom, with the way
// back at the left.
func (m *itinerary) narrowPlan() *canvas {
	c := &canvas{width: narrowWidth}
	const left, box = 26.0, 110.0
	var middles []float64
	y := 1.0
	for i, s := range m.Stations {
		name := wrap(box-6, span{s.Label, roman})
		answer := balance(narrowWidth-left-box-16, span{s.Answers, italic})
		height := leading*float64(max(len(name), len(answer))) + 22
		m.frame(c, i, left, y, box, height)
		centre := y + height/2
		c.text(left+box/2, centre-leading*float64(len(name))/2+12.5, middle, "", name...)
		c.text(left+box+14, centre-leading*float64(len(answer))/2+12.5, start, "f-i", plain(answer)...)
		if i > 0 {
			c.path("f-a", "M"+num(left+box/2)+" "+num(y-headGap)+"V"+num(y-7))
			c.path("f-h", "M"+num(left+box/2)+" "+num(y-1)+"l-4.5-8h9z")
		}
		middles = append(middles, centre)
		y += height + headGap
	}
	last := len(middles) - 1
	c.path("f-a", "M"+num(left)+" "+num(middles[last])+"H8V"+num(middles[0])+"H"+num(left-7))
	c.path("f-h", "M"+num(left-1)+" "+num(middles[0])+"l-8-4.5v9z")
	c.text(14, y-headGap+20, start, "f-i", line{{m.Back, font{size: 14, widths: &italicWidths}}})
	c.height = y - headGap + 28
	return c
}
