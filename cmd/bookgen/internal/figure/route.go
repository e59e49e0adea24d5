package figure

import (
	"math"
	"strings"
)

// A route is the way of an arrow from a step to one it caused: down from the
// cause's mark, and at each turn across to another x, until it comes down on
// the effect's mark. It runs across only in gaps between rows, where there are
// no labels. Row k is that of step k; gap k is the one above it.
type route struct {
	from, to int
	x        float64 // of the cause
	turns    []turn
}

type turn struct {
	gap  int
	x    float64 // where the route continues downwards
	slot int     // two arrows that cross the same gap do so at different heights
}

// planRoutes finds a route for each step that has a cause.
func planRoutes(steps []step, laneX []float64) []route {
	var routes []route
	for to, s := range steps {
		if s.cause < 0 {
			continue
		}
		r := route{from: s.cause, to: to, x: laneX[steps[s.cause].lane]}
		ways := r.candidates(laneX, laneX[s.lane])
		r.turns = ways[0]
		best := math.Inf(1)
		for _, turns := range ways {
			way := route{from: r.from, to: r.to, x: r.x, turns: turns}
			if crowd := way.crowd(steps, laneX); crowd < best && way.free(steps, laneX, routes) {
				r.turns, best = turns, crowd
			}
		}
		r.takeSlots(routes)
		routes = append(routes, r)
	}
	return routes
}

// candidates returns the ways to target, of which the plainest come first: straight down,
// across at the last moment, across at once, and by a channel between lanes.
func (r route) candidates(laneX []float64, target float64) [][]turn {
	first, last := r.from+1, r.to
	if r.x != target {
		ways := [][]turn{{{gap: last, x: target}}}
		if first == last {
			return ways
		}
		return append(append(ways, []turn{{gap: first, x: target}}), detours(laneX, r.x, target, first, last)...)
	}
	return append([][]turn{nil}, detours(laneX, r.x, target, first, last)...)
}

func detours(laneX []float64, from, target float64, first, last int) [][]turn {
	var ways [][]turn
	for _, side := range []float64{-1, 1} {
		for _, near := range []float64{from, target} {
			x := near + side*channel(laneX)
			ways = append(ways, []turn{{gap: first, x: x}, {gap: last, x: target}})
		}
	}
	return ways
}

// channel is the distance from a lane at which an arrow passes its marks.
func channel(laneX []float64) float64 {
	if len(laneX) < 2 {
		return 2 * markRadius
	}
	return (laneX[1] - laneX[0]) / 2
}

// verticals calls yield with each piece that runs down past whole rows: x, and
// the first and last of those rows.
func (r route) verticals(yield func(x float64, first, last int)) {
	x, row := r.x, r.from+1
	for _, t := range r.turns {
		if row <= t.gap-1 {
			yield(x, row, t.gap-1)
		}
		x, row = t.x, t.gap
	}
	if row <= r.to-1 {
		yield(x, row, r.to-1)
	}
}

// free reports whether r passes no mark, and lies on no other cause's arrow.
func (r route) free(steps []step, laneX []float64, others []route) bool {
	ok := true
	r.verticals(func(x float64, first, last int) {
		for row := first; row <= last; row++ {
			if laneX[steps[row].lane] == x {
				ok = false
			}
		}
		for _, o := range others {
			o.verticals(func(ox float64, ofirst, olast int) {
				if o.from != r.from && ox == x && ofirst <= last && first <= olast {
					ok = false
				}
			})
		}
	})
	return ok
}

// comfort is the room that a label likes to have beside its mark.
const comfort = 170

// detour is what a further turn costs, in the same measure.
const detour = 40

// crowd measures how much room r takes from the labels of the rows it passes,
// and how far from plain it is.
func (r route) crowd(steps []step, laneX []float64) float64 {
	left, right := laneX[0]-channel(laneX), laneX[len(laneX)-1]+channel(laneX)
	sum := detour * float64(len(r.turns))
	r.verticals(func(x float64, first, last int) {
		for row := first; row <= last; row++ {
			at := laneX[steps[row].lane]
			room := 0.0
			if x < at {
				room = max(right-at, at-x)
			} else if x > at {
				room = max(at-left, x-at)
			}
			sum += max(0, comfort-room)
		}
	})
	return sum
}

// takeSlots lets r cross each gap at a height where no other arrow does.
func (r *route) takeSlots(others []route) {
	x := r.x
	for i := range r.turns {
		t := &r.turns[i]
		for taken := true; taken; {
			taken = false
			for _, o := range others {
				if o.from != r.from && o.crosses(t.gap, t.slot, x, t.x) {
					t.slot++
					taken = true
				}
			}
		}
		x = t.x
	}
}

// crosses reports whether r runs across gap at slot between x0 and x1.
func (r route) crosses(gap, slot int, x0, x1 float64) bool {
	x := r.x
	for _, t := range r.turns {
		if t.gap == gap && t.slot == slot &&
			min(x, t.x) <= max(x0, x1) && min(x0, x1) <= max(x, t.x) {
			return true
		}
		x = t.x
	}
	return false
}

// A point is a place on the paper.
type point struct{ x, y float64 }

// rounded returns path data through points, which alternate between running
// down and running across, with round corners.
func rounded(points []point, radius float64) string {
	var b strings.Builder
	b.WriteString("M" + pair(points[0]))
	for i := 1; i < len(points)-1; i++ {
		before, at, after := points[i-1], points[i], points[i+1]
		r := min(radius, distance(before, at)/2, distance(at, after)/2)
		b.WriteString("L" + pair(toward(at, before, r)))
		b.WriteString("Q" + pair(at) + " " + pair(toward(at, after, r)))
	}
	b.WriteString("L" + pair(points[len(points)-1]))
	return b.String()
}

func distance(a, b point) float64 { return math.Hypot(b.x-a.x, b.y-a.y) }

// toward returns the point that lies r from a on the way to b.
func toward(a, b point, r float64) point {
	d := distance(a, b)
	if d == 0 {
		return a
	}
	return point{a.x + (b.x-a.x)*r/d, a.y + (b.y-a.y)*r/d}
}
