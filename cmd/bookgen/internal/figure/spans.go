package figure

import "strconv"

const groupGap = 9 // between the lanes of two groups

// drawSpans draws how long things of several kinds lasted, a lane each. Lanes
// of the same ordinal look the same, in every group.
func drawSpans(data []byte) (drawing, error) {
	c, err := readChronicle(data)
	if err != nil {
		return drawing{}, err
	}
	title := c.Title
	if title == "" {
		title = "How long everything lasts"
	}
	return drawing{title, c.draw(wideWidth, false), c.draw(narrowWidth, true)}, nil
}

// draw draws the chronicle in a width. One of the two drawings also has the
// words that tell a screen reader what happens.
func (c *chronicle) draw(width float64, words bool) *canvas {
	t := &timeline{canvas: &canvas{width: width}}
	t.time = scale{low: 0, high: seconds(c.Until)}
	t.time.to = width - after(t.time.high).width()/2 - 1
	heads := []line{{{"replicas", italic}}}
	for _, g := range c.Groups {
		for _, l := range g.Lanes {
			heads = append(heads, line{{l.Name, roman}})
		}
	}
	t.time.from = widest(heads) + 10

	t.top = t.drawLegend(t.spanSamples(c.claims)) + 8
	numbers := t.top + 12.5
	if len(c.Replicas) > 0 {
		t.top += lanePitch + 4
	}
	y := t.top
	var middles []float64 // of the lanes
	for _, g := range c.Groups {
		t.text(0, y+12.5, start, "f-i", plain([]line{{{g.Label, italic}}})...)
		y += lanePitch
		for range g.Lanes {
			middles = append(middles, y+lanePitch/2)
			y += lanePitch
		}
		y += groupGap
	}
	t.floor = y
	t.height = t.floor + 24

	t.drawTicks()
	if len(c.Replicas) > 0 {
		t.text(0, numbers, start, "f-i", plain(heads[:1])...)
	}
	lane := 0
	for _, g := range c.Groups {
		for _, l := range g.Lanes {
			t.text(0, middles[lane]+4.5, start, l.look(), line{{l.Name, roman}})
			lane++
		}
	}
	wanted := t.numbers(c.Replicas, numbers)
	for i, at := range c.instants {
		attrs := []string{"data-s", strconv.Itoa(i + 1)}
		if words {
			attrs = append(attrs, "data-t", c.says(at))
		}
		t.open(attrs...)
		t.drawReplicas(c.Replicas, wanted, at)
		lane = 0
		for _, g := range c.Groups {
			for _, l := range g.Lanes {
				t.drawTenure(l, at, middles[lane])
				lane++
			}
		}
		t.drawCursor(at)
		t.close()
	}
	return t.canvas
}

// look returns the class of the lane: those of one ordinal look the same.
func (l tenure) look() string { return "f-s" + strconv.Itoa(l.Ordinal) }

// drawTenure draws around y what begins in a lane at an instant, as long as it
// lasts.
func (t *timeline) drawTenure(l tenure, at int64, y float64) {
	for i, p := range l.Phases {
		if p.At != at {
			continue
		}
		until := t.time.to
		if i+1 < len(l.Phases) {
			until = t.time.at(seconds(l.Phases[i+1].At))
		}
		t.bar(l.look(), p.Is, t.time.at(seconds(p.At)), until, y)
	}
}

// numbers returns how many are wanted, each number at its beginning or as near
// to that as the others let it be.
func (t *timeline) numbers(all []wanted, y float64) []placed {
	var numbers []placed
	for _, r := range all {
		at := point{t.time.at(seconds(r.At)), y}
		numbers = append(numbers, placed{at, line{{strconv.Itoa(r.Count), roman}}})
	}
	t.apart(numbers)
	return numbers
}

// drawReplicas writes how many are wanted from an instant on, and draws a line
// down where that changes.
func (t *timeline) drawReplicas(all []wanted, numbers []placed, at int64) {
	for i, r := range all {
		if r.At != at {
			continue
		}
		t.texts(start, "", numbers[i])
		if i > 0 {
			x := t.time.at(seconds(at))
			t.path("f-q", "M"+num(x)+" "+num(numbers[i].at.y+4)+"V"+num(t.floor))
		}
	}
}

// spanSamples returns the legend of spans, in the colour of no ordinal: that of
// Pods, or also that of claims and volumes.
func (t *timeline) spanSamples(claims bool) []sample {
	starting, ready := "starting", "ready"
	if claims {
		starting, ready = "starting, pending", "ready, bound"
	}
	phase := func(means, is string, from, to float64) sample {
		return sample{means, func(x, y float64) { t.bar("f-s3", is, x+from, x+to, y) }}
	}
	return []sample{
		phase(starting, "created", 0, 26),
		phase(ready, "ready", 0, 26),
		phase("told to end", "ending", 0, 26),
		phase("gone", "gone", 16, 16),
	}
}
