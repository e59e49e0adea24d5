package figure

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	markRadius = 9.5
	rowAscent  = 12 // from a row's top to the middle of its mark
	gapHeight  = 17
	slotHeight = 6
)

// A sheet says where on the paper the parts of a run lie: a lane is an x, a
// step is a row, and steps at one virtual instant stand in one band.
type sheet struct {
	run    *run
	laneX  []float64
	routes []route
	rowY   []float64 // the middle of a row's mark
	bottom []float64 // of a row
	bands  []band
}

type band struct {
	at          int64
	first, last int // rows
	top, bottom float64
}

// spacing is how much paper there is around bands.
type spacing struct{ head, foot, between float64 }

func newSheet(r *run, laneX []float64) *sheet {
	return &sheet{run: r, laneX: laneX, routes: planRoutes(r.steps, laneX)}
}

// stack lays out the rows from y downwards, each reaching as far below its
// mark as descents says, and returns where they end.
func (s *sheet) stack(y float64, descents []float64, sp spacing) float64 {
	steps := s.run.steps
	for i := range steps {
		if i == 0 || steps[i].At != steps[i-1].At {
			if i > 0 {
				y += sp.foot
				s.bands[len(s.bands)-1].bottom = y
				y += sp.between
			}
			s.bands = append(s.bands, band{at: steps[i].At, first: i, top: y})
			y += sp.head
		}
		if s.bands[len(s.bands)-1].first < i {
			y += gapHeight
		}
		y += float64(s.slots(i)) * slotHeight
		s.bands[len(s.bands)-1].last = i
		s.rowY = append(s.rowY, y+rowAscent)
		y += rowAscent + descents[i]
		s.bottom = append(s.bottom, y)
	}
	y += sp.foot
	s.bands[len(s.bands)-1].bottom = y
	return y
}

// slots returns how many further arrows run across gap, after the first.
func (s *sheet) slots(gap int) int {
	most := 0
	for _, r := range s.routes {
		for _, t := range r.turns {
			if t.gap == gap {
				most = max(most, t.slot)
			}
		}
	}
	return most
}

// markX is the x of step i's mark; mark, its middle once there are rows.
func (s *sheet) markX(i int) float64 { return s.laneX[s.run.steps[i].lane] }

func (s *sheet) mark(i int) point { return point{s.markX(i), s.rowY[i]} }

// across returns the height at which a turn's arrow runs.
func (s *sheet) across(t turn) float64 {
	top := s.rowY[t.gap] - rowAscent
	return top - gapHeight/2 - 1.5 - float64(t.slot)*slotHeight
}

// clear returns how far to the left and right of row i's mark the paper is
// clear of passing arrows, within the given limits.
func (s *sheet) clear(i int, left, right float64) (float64, float64) {
	at := s.markX(i)
	for _, r := range s.routes {
		r.verticals(func(x float64, first, last int) {
			switch {
			case i < first || last < i:
			case x < at:
				left = max(left, x+6)
			case x > at:
				right = min(right, x-6)
			}
		})
	}
	return left, right
}

// drawLanes draws each lane's line, whole where things happen.
func (s *sheet) drawLanes(c *canvas) {
	var d strings.Builder
	for _, b := range s.bands {
		for _, x := range s.laneX {
			fmt.Fprintf(&d, "M%s %sv%s", num(x), num(b.top), num(b.bottom-b.top))
		}
	}
	c.path("f-l", d.String())
}

// drawArrows draws an arrow from each cause to its effect; dashed, if time
// passes between them.
func (s *sheet) drawArrows(c *canvas) {
	var heads strings.Builder
	c.open("class", "f-a")
	for _, r := range s.routes {
		from, to := s.mark(r.from), s.mark(r.to)
		points := []point{{from.x, from.y + markRadius}}
		x := from.x
		for _, t := range r.turns {
			y := s.across(t)
			points = append(points, point{x, y}, point{t.x, y})
			x = t.x
		}
		class := ""
		if s.run.steps[r.from].At != s.run.steps[r.to].At {
			class = "f-w"
		}
		c.path(class, rounded(append(points, point{x, to.y - markRadius - 5}), 7),
			"data-e", fmt.Sprintf("%d-%d", r.from+1, r.to+1))
		fmt.Fprintf(&heads, "M%s %sl-3.5-6.5h7z", num(x), num(to.y-markRadius-1.5))
	}
	c.close()
	if heads.Len() > 0 {
		c.path("f-h", heads.String())
	}
}

// openStep starts the group of step i, whose middle is its mark, and draws the
// mark. What the step says is drawn next.
func (s *sheet) openStep(c *canvas, i int) {
	c.openAt(s.mark(i), "data-s", strconv.Itoa(i+1))
	class := "f-o"
	if s.run.born(i) {
		class = "f-o f-x"
	}
	c.circle(class, 0, 0, markRadius)
	number := line{{strconv.Itoa(i + 1), numeral}}
	c.boxes = append(c.boxes, number.box(s.mark(i).x, s.mark(i).y+4.2, middle))
	c.body.WriteString(`<text class="f-n" y="4.2">` + strconv.Itoa(i+1) + `</text>`)
}
