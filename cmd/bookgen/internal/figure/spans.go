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
	return drawing{title, c.draw(wideWidth), c.draw(narrowWidth)}, nil
}

// draw draws the chronicle in a width.
func (c *chronicle) draw(width float64) *canvas {
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
		t.drawReplicas(c.Replicas, numbers)
	}
	for _, g := range c.Groups {
		for _, l := range g.Lanes {
			t.drawTenure(l, middles[0])
			middles = middles[1:]
		}
	}
	return t.canvas
}

// drawTenure draws a lane's name and bars around y.
func (t *timeline) drawTenure(l tenure, y float64) {
	look := "f-s" + strconv.Itoa(l.Ordinal)
	t.text(0, y+4.5, start, look, line{{l.Name, roman}})
	for i, p := range l.Phases {
		until := t.time.to
		if i+1 < len(l.Phases) {
			until = t.time.at(seconds(l.Phases[i+1].At))
		}
		t.bar(look, p.Is, t.time.at(seconds(p.At)), until, y)
	}
}

// drawReplicas writes how many are wanted, each number at its beginning or as
// near to that as the others let it be, and draws a line down where it changes.
func (t *timeline) drawReplicas(all []wanted, y float64) {
	var numbers []placed
	d := ""
	for i, r := range all {
		at := t.time.at(seconds(r.At))
		numbers = append(numbers, placed{point{at, y}, line{{strconv.Itoa(r.Count), roman}}})
		if i > 0 {
			d += "M" + num(at) + " " + num(y+4) + "V" + num(t.floor)
		}
	}
	t.apart(numbers)
	t.texts(start, "", numbers...)
	if d != "" {
		t.path("f-q", d)
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
