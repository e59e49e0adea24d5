package figure

const narrowWidth = 340

// narrowPath draws the same lanes close together at the left, without their
// names, and the steps as a list beside them, each with its lane's name.
func narrowPath(r *run) *canvas {
	c := &canvas{width: narrowWidth}
	pitch := min(14, 80/float64(len(r.Lanes)))
	var laneX []float64
	for i := range r.Lanes {
		laneX = append(laneX, 13+pitch*float64(i))
	}
	textX := laneX[len(laneX)-1] + 24
	s := newSheet(r, laneX)

	var entries []entry
	var descents []float64
	for i := range r.steps {
		e := r.entry(i, narrowWidth-textX-4)
		entries = append(entries, e)
		descents = append(descents, 8+leading*float64(len(e.rest)))
	}
	c.height = s.stack(2, descents, spacing{head: 34, foot: 10, between: 26}) + 2

	s.drawInstants(c, textX)
	s.drawLanes(c)
	s.drawArrows(c)
	for i := range r.steps {
		s.openStep(c, i)
		entries[i].draw(c, textX-s.markX(i))
		c.close()
	}
	return c
}

// An entry is a step in the list: the lane's tag with the action beside it,
// and below them what else there is.
type entry struct {
	tag    line
	action line
	rest   []line
}

const (
	tagPadding = 9 // half a tag's height: its ends are round
	tagSpace   = 7 // between tag and action
)

func (r *run) entry(i int, width float64) entry {
	action, object, note := r.label(i)
	e := entry{tag: line{{r.Lanes[r.steps[i].lane].Label, roman}}}
	beside := width - e.tag.width() - 2*tagPadding - tagSpace
	if lines := wrap(beside, action...); len(lines) == 1 && lines[0].width() <= beside {
		e.action = lines[0]
	} else {
		e.rest = wrap(width, action...)
	}
	e.rest = append(e.rest, wrap(width, object...)...)
	e.rest = append(e.rest, balance(width, note...)...)
	return e
}

// draw sets the entry at x, beside its mark. The tag is a short, thick line.
func (e entry) draw(c *canvas, x float64) {
	width := e.tag.width()
	c.path("f-t", "M"+num(x+tagPadding)+" 0h"+num(width))
	all := []placed{{point{x + tagPadding, 4.5}, e.tag}}
	if len(e.action) > 0 {
		all = append(all, placed{point{x + width + 2*tagPadding + tagSpace, 4.5}, e.action})
	}
	for i, l := range e.rest {
		all = append(all, placed{point{x, 6.5 + leading*float64(i+1)}, l})
	}
	c.texts(start, "", all...)
}

// drawInstants draws a band an instant, headed by its time.
func (s *sheet) drawInstants(c *canvas, textX float64) {
	for i, b := range s.bands {
		c.rect("f-b", 0, b.top, narrowWidth, b.bottom-b.top)
		head := line{{clock(b.at), roman}}
		if pace := b.pace(); pace != "" {
			head = append(head, span{" · " + pace, italic})
		}
		c.text(textX, b.top+20, start, "", head)
		if i > 0 {
			c.text(textX, b.top-9, start, "f-i",
				plain([]line{{{wait(s.bands[i-1], b), italic}}})...)
		}
	}
}
