package figure

import (
	"fmt"
	"math"
	"time"
)

// A patchwork is a scale of seconds that leaves out the time in which nothing
// changes.
type patchwork struct {
	patches []patch // one after the other
}

type patch struct {
	scale
	skipped bool // how long it is, its width does not say
}

const (
	quiet    = 80 // seconds without a change, of which some are left out
	lingers  = 20 // of these are drawn after the last change,
	heralds  = 10 // and before the next one
	skipRoom = 26 // on the paper, for what is left out
)

// newPatchwork spans the time until an instant, around the given ones.
func newPatchwork(instants []int64, until int64, from, to float64) patchwork {
	var p patchwork
	at := 0.0
	add := func(high float64, skipped bool) {
		p.patches = append(p.patches, patch{scale{low: at, high: high}, skipped})
		at = high
	}
	was := 0.0
	for _, instant := range append(append([]int64(nil), instants...), until) {
		now := seconds(instant)
		if now-was > quiet {
			add(math.Ceil((was+lingers)/10)*10, false)
			add(math.Floor((now-heralds)/10)*10, true)
		}
		was = now
	}
	add(seconds(until), false)
	p.place(from, to)
	return p
}

// place gives each patch its part of the paper.
func (p patchwork) place(from, to float64) {
	room, shown := to-from, 0.0
	for _, one := range p.patches {
		if one.skipped {
			room -= skipRoom
		} else {
			shown += one.high - one.low
		}
	}
	for i := range p.patches {
		one := &p.patches[i]
		one.from = from
		if one.skipped {
			from += skipRoom
		} else {
			from += room * (one.high - one.low) / shown
		}
		one.to = from
	}
}

// skips is how many times something is left out.
func (p patchwork) skips() (n int) {
	for _, one := range p.patches {
		if one.skipped {
			n++
		}
	}
	return n
}

// at returns the place of an instant.
func (p patchwork) at(ns int64) float64 {
	v := seconds(ns)
	for _, one := range p.patches {
		if v <= one.high {
			return one.scale.at(v)
		}
	}
	return p.end()
}

func (p patchwork) end() float64 { return p.patches[len(p.patches)-1].to }

// shown reports whether an instant is not in what is left out.
func (p patchwork) shown(ns int64) bool {
	v := seconds(ns)
	for _, one := range p.patches {
		if v < one.high || v == one.high && !one.skipped {
			return !one.skipped
		}
	}
	return true
}

// between returns what is shown of the time from one place to another.
func (p patchwork) between(from, to float64) (all [][2]float64) {
	for _, one := range p.patches {
		low, high := max(from, one.from), min(to, one.to)
		if !one.skipped && (low < high || low == high && from == to) {
			all = append(all, [2]float64{low, high})
		}
	}
	return all
}

// A tick marks an instant; says is empty where there is no room for words.
type tick struct {
	x    float64
	says string
}

// ticks are at the shortest steps that leave room for the words.
func (p patchwork) ticks() (all []tick) {
	for _, step := range []float64{5, 10, 20, 30, 60, 120, 300, 600, 1800} {
		if all, fit := p.multiples(step); fit {
			return all
		}
	}
	all, _ = p.multiples(3600)
	return all
}

// multiples returns what there is of a step, and whether the words fit. On both
// sides of what is left out, there may be too many: those before it go.
func (p patchwork) multiples(step float64) (all []tick, fit bool) {
	for _, one := range p.patches {
		if one.skipped {
			continue
		}
		first := len(all)
		for v := math.Ceil(one.low/step) * step; v <= one.high; v += step {
			t := tick{one.scale.at(v), watch(v)}
			if n := len(all); n > 0 && t.x-all[n-1].x < roman.width(t.says)+8 {
				if n > first {
					return nil, false
				}
				all[n-1].says = ""
			}
			all = append(all, t)
		}
	}
	return all, true
}

// watch writes seconds as minutes and seconds: 1:05.
func watch(v float64) string {
	d := time.Duration(v * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
