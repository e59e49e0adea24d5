package figure

import (
	"math"
	"strings"
)

// The loop is drawn in polar coordinates around the desired state: the distance
// from the middle says how far the actual state differs from it.
const (
	loopWidth, loopHeight = 480, 420
	loopX, loopY          = 240, 208

	observeAt = 150.0 // degrees, clockwise from the right
	compareAt = 270.0
	actAt     = 390.0
)

// loopRadii are the distances at which each turn looks; the last one stays.
var loopRadii = []float64{160, 112, 66, 26}

// drawLoop draws the control loop, which observes, compares and acts, and with
// every turn brings the actual state a step closer to the desired one: a line
// that winds inwards around a point, and passes three spokes a turn. Only after
// act does it come closer.
func drawLoop(c *canvas) {
	for _, angle := range []float64{observeAt, compareAt, actAt} {
		in, out := polar(angle, loopRadii[3]), polar(angle, loopRadii[0]+14)
		c.path("f-l", "M"+pair(in)+"L"+pair(out))
	}
	for _, radius := range loopRadii[:3] {
		c.circle("f-l", loopX, loopY, radius)
	}
	c.path("f-g", winding(0, observeAt-45, actAt+120), "stroke-width", "3.4")
	c.path("f-g", winding(1, observeAt, actAt+120), "stroke-width", "2.8")
	c.path("f-g", winding(2, observeAt, actAt+120), "stroke-width", "2.2")
	c.path("f-g", winding(3, observeAt, observeAt+338), "stroke-width", "1.8")
	drawLoopMarks(c)
	drawLoopTexts(c)
}

// drawLoopMarks marks where each turn meets the spokes, and which way it goes.
func drawLoopMarks(c *canvas) {
	for turn, radius := range loopRadii {
		for _, angle := range []float64{observeAt, compareAt, actAt} {
			size, class := 5.5-float64(turn)*0.8, "f-o"
			if angle == actAt && turn < 3 { // the last turn has nothing to do
				class = "f-o f-x"
			}
			at := polar(angle, radius)
			c.circle(class, at.x, at.y, size)
		}
		c.path("f-h", head(turn, observeAt+60, 11-1.6*float64(turn)))
	}
	from := polar(observeAt-45, loopRadii[0])
	c.circle("f-d", from.x, from.y, 7)
	c.circle("f-d", loopX, loopY, 5)
}

func drawLoopTexts(c *canvas) {
	big, small := font{size: 22, widths: &italicWidths}, font{size: 15.5}
	word := func(x, y float64, a anchor, class, text string) {
		c.text(x, y, a, class, line{{text, big}})
	}
	word(62, loopY+126, middle, "f-i f-v", "observe")
	word(loopX, 24, middle, "f-i f-v", "compare")
	word(412, loopY+126, middle, "f-i f-v", "act")
	word(186, loopHeight-22, middle, "f-i", "actual")
	aim := polar(320, loopRadii[0]+18)
	near := polar(320, 9)
	c.path("f-q", "M"+pair(near)+"L"+pair(aim))
	word(aim.x+5, aim.y-2, start, "f-i", "desired")
	for i, lines := range [][]line{
		{{{"3", small}}, {{"missing", small}}}, {{{"2", small}}}, {{{"1", small}}}, {{{"0", small}}},
	} {
		at := polar(compareAt, loopRadii[i])
		y := at.y + 18
		if i == 3 {
			y = at.y - 5.5
		}
		c.text(at.x+9, y, start, "f-m f-u", lines...)
	}
}

// polar returns the point at an angle in degrees and a distance from the
// middle.
func polar(angle, radius float64) point {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return point{loopX + radius*cos, loopY + radius*sin}
}

// distanceAt returns how far the line is from the middle at an angle of a
// turn, and how fast that changes, per radian. It changes only after act.
func distanceAt(turn int, angle float64) (radius, slope float64) {
	radius = loopRadii[turn]
	if angle <= actAt || turn == len(loopRadii)-1 {
		return radius, 0
	}
	const span = 120
	u := (angle - actAt) / span
	change := loopRadii[turn+1] - radius
	return radius + change*u*u*(3-2*u), change * 6 * u * (1 - u) / (span * math.Pi / 180)
}

// winding returns path data for a turn between two angles, by cubic curves of
// 15 degrees or less that have the line's own direction at their ends.
func winding(turn int, from, to float64) string {
	var b strings.Builder
	b.WriteString("M" + pair(at(turn, from)))
	pieces := math.Ceil((to - from) / 15)
	width := (to - from) / pieces
	for i := range int(pieces) {
		a := from + float64(i)*width
		third := width * math.Pi / 180 / 3
		p, q := at(turn, a), at(turn, a+width)
		dp, dq := heading(turn, a), heading(turn, a+width)
		b.WriteString("C" + pair(point{p.x + dp.x*third, p.y + dp.y*third}) + " " +
			pair(point{q.x - dq.x*third, q.y - dq.y*third}) + " " + pair(q))
	}
	return b.String()
}

func at(turn int, angle float64) point {
	radius, _ := distanceAt(turn, angle)
	return polar(angle, radius)
}

// heading returns the direction and speed of the line, per radian.
func heading(turn int, angle float64) point {
	radius, slope := distanceAt(turn, angle)
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return point{slope*cos - radius*sin, slope*sin + radius*cos}
}

// head returns path data for an arrow head on the line.
func head(turn int, angle, size float64) string {
	tip, d := at(turn, angle), heading(turn, angle)
	length := math.Hypot(d.x, d.y)
	dx, dy := d.x/length*size, d.y/length*size
	left := point{tip.x - dx*0.5 - dy*0.55, tip.y - dy*0.5 + dx*0.55}
	right := point{tip.x - dx*0.5 + dy*0.55, tip.y - dy*0.5 - dx*0.55}
	front := point{tip.x + dx*0.6, tip.y + dy*0.6}
	return "M" + pair(front) + "L" + pair(left) + "L" + pair(right) + "z"
}
