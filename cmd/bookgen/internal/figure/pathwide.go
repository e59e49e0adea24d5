package figure

const (
	wideWidth  = 680
	axisX      = 78  // the line of time
	labelRoom  = 270 // no line of a label is longer: it would be hard to read
	tightRoom  = 110 // where there is less, words would be torn
	labelSpace = 7   // between mark and label
)

// widePath draws a column a lane, and the labels on the paper between them.
func widePath(r *run) *canvas {
	c := &canvas{width: wideWidth}
	pitch := (wideWidth - axisX) / float64(len(r.Lanes))
	var laneX []float64
	for i := range r.Lanes {
		laneX = append(laneX, axisX+pitch*(float64(i)+0.5))
	}
	s := newSheet(r, laneX)
	sides, descents := s.placeLabels()
	heads, headHeight := laneHeads(r, pitch)
	bottom := s.stack(headHeight, descents, spacing{head: 15, foot: 9, between: 46})
	c.height = bottom + 2

	s.drawTime(c)
	s.drawLanes(c)
	for i, x := range laneX {
		c.text(x, headHeight-12-leading*float64(len(heads[i])-1), middle, "f-e", heads[i]...)
	}
	s.drawArrows(c)
	for i := range r.steps {
		s.openStep(c, i)
		sides[i].draw(c)
		c.close()
	}
	return c
}

// laneHeads wraps the lanes' names to their columns.
func laneHeads(r *run, pitch float64) (heads [][]line, height float64) {
	most := 0
	for _, l := range r.Lanes {
		head := wrap(pitch-8, span{l.Label, roman})
		most = max(most, len(head))
		heads = append(heads, head)
	}
	return heads, float64(most)*leading + 14
}

// A side is a label, and the side of the mark on which it stands.
type side struct {
	anchor anchor
	lines  []line
}

// placeLabels puts each label where it needs the fewest lines: to the right,
// unless the left has what the right has not. Where arrows pass on both sides
// so near that neither will do, the label lies over them.
func (s *sheet) placeLabels() (sides []side, descents []float64) {
	for i := range s.run.steps {
		left, right := s.rooms(i, true)
		if max(left, right) < tightRoom {
			left, right = s.rooms(i, false)
		}
		placed := side{start, s.run.lines(i, right)}
		if other := s.run.lines(i, left); right < labelRoom && left >= tightRoom &&
			(right < tightRoom || len(other) < len(placed.lines)) {
			placed = side{end, other}
		}
		sides = append(sides, placed)
		descents = append(descents, max(rowAscent, 8+leading*float64(len(placed.lines)-1)))
	}
	return sides, descents
}

// rooms returns how long a line of label i may be to the left and the right of
// its mark.
func (s *sheet) rooms(i int, arrows bool) (left, right float64) {
	from, to := axisX+10.0, wideWidth-2.0
	if arrows {
		from, to = s.clear(i, from, to)
	}
	x := s.markX(i)
	return min(labelRoom, x-markRadius-labelSpace-from), min(labelRoom, to-x-markRadius-labelSpace)
}

// lines sets step i's label to a width: the action and its object, then the
// note, which begins a line of its own.
func (r *run) lines(i int, width float64) []line {
	action, object, note := r.label(i)
	return append(wrap(width, append(action, object...)...), balance(width, note...)...)
}

func (s side) draw(c *canvas) {
	x := markRadius + labelSpace
	if s.anchor == end {
		x = -x
	}
	c.text(x, 4.5, s.anchor, "f-c", s.lines...)
}

// drawTime draws the line of time at the left: whole where things happen,
// dotted where time passes.
func (s *sheet) drawTime(c *canvas) {
	for i, b := range s.bands {
		c.rect("f-b", axisX, b.top, wideWidth-axisX, b.bottom-b.top)
		c.path("f-y", "M"+num(axisX)+" "+num(b.top)+"V"+num(b.bottom))
		x, y := axisX-10.0, s.rowY[b.first]+4.5
		said := wrap(axisX-12, span{clock(b.at), roman})
		if pace := balance(axisX-12, span{b.pace(), italic}); y+leading*float64(len(said)+len(pace)-1) < b.bottom {
			said = append(said, pace...)
		}
		c.text(x, y, end, "", said...)
		if i == 0 {
			continue
		}
		before := s.bands[i-1]
		c.path("f-q", "M"+num(axisX)+" "+num(before.bottom+3)+"V"+num(b.top))
		c.text(x, (before.bottom+b.top)/2+4.5, end, "f-i",
			plain(wrap(axisX-12, span{wait(before, b), italic}))...)
	}
}

// plain takes the classes off spans whose text element has them.
func plain(lines []line) []line {
	for _, l := range lines {
		for i := range l {
			l[i].font.class = ""
		}
	}
	return lines
}
