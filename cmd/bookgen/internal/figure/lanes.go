package figure

import (
	"fmt"
	"strconv"
)

// drawLanes draws the lives of Pods, a lane each, above how many of them
// existed between their bounds.
func drawLanes(data []byte) (drawing, error) {
	c, err := readCrowd(data)
	if err != nil {
		return drawing{}, err
	}
	title := c.Title
	if title == "" {
		title = "Every Pod's life"
	}
	return drawing{title, c.draw(wideWidth, false), c.draw(narrowWidth, true)}, nil
}

// A swim is a drawing of lanes in the making.
type swim struct {
	*crowd
	timeline         // around lanes and counts together
	zero     float64 // the height of no Pods
}

// draw draws the crowd in a width. One of the two drawings also has the words
// that tell a screen reader what happens.
func (c *crowd) draw(width float64, words bool) *canvas {
	s := &swim{crowd: c, timeline: timeline{canvas: &canvas{width: width}}}
	bounds := []line{{{fmt.Sprintf("at most %d", c.Most), italic}}}
	if c.Least > 0 {
		bounds = append(bounds, line{{fmt.Sprintf("at least %d", c.Least), italic}})
	}
	s.time = newScale(false, 0, max(1, seconds(c.instants[len(c.instants)-1])))
	if c.Until > 0 {
		s.time.high = seconds(c.Until)
	}
	s.time.from = 24
	for _, l := range c.Pods {
		s.time.from = max(s.time.from, roman.width(l.label())+10)
	}
	s.time.to = width - widest(bounds) - 10

	s.top = s.drawLegend(s.samples()) + 4
	lanes := s.top + lanePitch*float64(len(c.Pods))
	s.floor = lanes + 14 + lanePitch*float64(c.highest()) + 8
	s.zero = s.floor
	s.height = s.floor + 24

	s.drawTicks()
	s.drawLevels()
	for i, l := range c.Pods {
		s.text(0, s.lane(i)+4.5, start, c.look(l.Version), line{{l.label(), roman}})
	}
	s.drawBounds(bounds)
	for i, at := range c.instants {
		attrs := []string{"data-s", strconv.Itoa(i + 1)}
		if words {
			attrs = append(attrs, "data-t", c.says(at))
		}
		s.open(attrs...)
		s.drawInstant(at)
		s.close()
	}
	return s.canvas
}

// lane returns the middle of a Pod's lane, level the height of so many Pods.
func (s *swim) lane(i int) float64 { return s.top + lanePitch*(float64(i)+0.5) }

func (s *swim) level(n int) float64 { return s.zero - lanePitch*float64(n) }

// drawLevels writes beside the counts how many Pods their heights stand for:
// all numbers, or every other one if they are many.
func (s *swim) drawLevels() {
	step := 1
	if s.highest() > 5 {
		step = 2
	}
	for n := 0; n <= s.highest(); n += step {
		s.text(s.time.from-7, s.level(n)+4.5, end, "f-u", line{{strconv.Itoa(n), roman}})
	}
}

// drawBounds draws how many Pods may exist, and how few of them may be
// available if it is not nothing that has to be.
func (s *swim) drawBounds(labels []line) {
	d := ""
	for i := range labels {
		y := s.level([]int{s.Most, s.Least}[i])
		d += "M" + num(s.time.from) + " " + num(y) + "H" + num(s.time.to+4)
		s.text(s.time.to+8, s.apart(i, y)+4.5, start, "f-i", plain(labels[i:i+1])...)
	}
	s.path("f-q", d)
}

// apart moves the label of a bound away from that of the other, if both have
// the same height.
func (s *swim) apart(i int, y float64) float64 {
	if s.Most != s.Least {
		return y
	}
	return y + float64(2*i-1)*lanePitch/2
}

// drawInstant draws what begins at an instant: bars, as long as they last, and
// the lines of the counts; and it marks the instant itself.
func (s *swim) drawInstant(at int64) {
	x := s.time.at(seconds(at))
	for i, l := range s.Pods {
		for j, p := range l.Phases {
			if p.At != at {
				continue
			}
			until := s.time.to
			if j+1 < len(l.Phases) {
				until = s.time.at(seconds(l.Phases[j+1].At))
			}
			s.bar(s.look(l.Version), p.Is, x, until, s.lane(i))
		}
	}
	for i, n := range s.Counts {
		if n.At == at {
			s.drawCount(i)
		}
	}
	s.drawCursor(at)
}

// drawCount draws both counts from their old heights to the new ones, and on
// until they change.
func (s *swim) drawCount(i int) {
	now := s.Counts[i]
	x, until := num(s.time.at(seconds(now.At))), s.time.to
	was := now
	if i > 0 {
		was = s.Counts[i-1]
	}
	if i+1 < len(s.Counts) {
		until = s.time.at(seconds(s.Counts[i+1].At))
	}
	steps := func(from, to int) string {
		return "M" + x + " " + num(s.level(from)) + "V" + num(s.level(to)) + "H" + num(until)
	}
	s.path("f-s2 f-k", steps(was.Available, now.Available))
	s.path("f-v", steps(was.There, now.There))
}
