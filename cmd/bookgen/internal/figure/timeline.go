package figure

import (
	"fmt"
	"time"
)

const (
	lanePitch = 17 // from one lane to the next, and from a count of n to n+1
	barHeight = 10
)

// A timeline is a drawing of lanes over time in the making.
type timeline struct {
	*canvas
	time       scale // of seconds
	top, floor float64
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// drawTicks draws a hairline every few seconds, and the line of time.
func (t *timeline) drawTicks() {
	d := ""
	for _, v := range t.ticks() {
		x := t.time.at(v)
		d += "M" + num(x) + " " + num(t.top) + "V" + num(t.floor+5)
		t.text(x, t.floor+20, middle, "f-u", after(v))
	}
	t.path("f-l", d)
	t.path("f-y", "M"+num(t.time.from)+" "+num(t.floor)+"H"+num(t.time.to))
}

func after(v float64) line { return line{{Quantity(v) + " s", roman}} }

// ticks returns as many seconds as can be written beside each other.
func (t *timeline) ticks() []float64 {
	for limit := 9; ; limit-- {
		ticks := t.time.ticks(limit)
		widest := 0.0
		for _, v := range ticks {
			widest = max(widest, after(v).width())
		}
		if limit <= 2 || len(ticks) < 2 || t.time.at(ticks[1])-t.time.at(ticks[0]) > widest+12 {
			return ticks
		}
	}
}

// drawCursor marks an instant, for a reader who goes from one to the next.
func (t *timeline) drawCursor(at int64) {
	t.path("f-z", "M"+num(t.time.at(seconds(at)))+" "+num(t.top)+"V"+num(t.floor))
}

// apart moves texts of one line away from each other: each stands at its own
// place, or as near to that as the others let it be.
func (t *timeline) apart(all []placed) {
	const gap = 8
	left, right := 0.0, t.width
	for i := range all {
		all[i].at.x = max(all[i].at.x, left)
		left = all[i].at.x + all[i].line.width() + gap
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].at.x = min(all[i].at.x, right-all[i].line.width())
		right = all[i].at.x - gap
	}
}

// bar draws a phase: hollow while something begins, full while it is ready or
// bound, dashed while it ends, and a cross when it is gone.
func (t *timeline) bar(look, is string, from, to, y float64) {
	if is == "gone" {
		t.path(look+" f-g", "M"+num(from-3)+" "+num(y-3)+"l6 6m0-6l-6 6")
		return
	}
	if to-from < 0.1 {
		return
	}
	switch is {
	case "ready", "bound":
		t.path(look+" f-r", "M"+num(from)+" "+num(y)+"H"+num(to))
	case "ending":
		t.path(look+" f-d", "M"+num(from)+" "+num(y)+"H"+num(to))
	default:
		t.path(look+" f-g", fmt.Sprintf("M%s %sH%sv%dH%sz", num(from+0.6),
			num(y-barHeight/2+0.6), num(to), barHeight-1, num(from+0.6)))
	}
}
