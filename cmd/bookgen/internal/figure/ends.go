package figure

import (
	"cmp"
	"fmt"
	"slices"
)

// An endLabel names a series beside the last point of its line, with the value
// there: no legend to look up.
type endLabel struct {
	series int
	lines  []line
	y      float64 // the middle
}

// endLabels sets each label to at most the given width.
func (p *plotted) endLabels(width float64) []endLabel {
	var out []endLabel
	for i, s := range p.Series {
		lines := balance(width, span{s.Name, roman})
		lines = append(lines, wrap(width, span{p.Y.amount(s.last().y), muted})...)
		out = append(out, endLabel{series: i, lines: lines})
	}
	return out
}

func (e endLabel) height() float64 { return leading * float64(len(e.lines)) }

// drawEnds puts the labels in a column at the right, each as near to its line
// as the others let it be, and draws a leader to those that are not near.
func (g *plot) drawEnds(ends []endLabel) {
	for i := range ends {
		ends[i].y = g.y.at(g.Series[ends[i].series].last().y)
	}
	spread(ends, 8, g.top-leading, g.floor+6)
	for _, e := range ends {
		last := g.Series[e.series].last()
		x, y := g.x.at(last.x), g.y.at(last.y)
		labelX := g.right + 18
		if moved := y - e.y; moved > 6 || moved < -6 || x < g.right-1 {
			g.path("f-l", fmt.Sprintf("M%s %sL%s %sL%s %s",
				num(x+6), num(y), num(labelX-8), num(e.y), num(labelX-4), num(e.y)))
		}
		baseline := e.y - e.height()/2 + 12.5
		g.text(labelX, baseline, start, fmt.Sprintf("f-s%d", e.series), e.lines...)
	}
}

// spread moves labels apart until gap lies between them, within the bounds,
// and no further: those that collide share the way.
func spread(labels []endLabel, gap, top, bottom float64) {
	slices.SortStableFunc(labels, func(a, b endLabel) int {
		return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.series, b.series))
	})
	for range 50 {
		for i := 1; i < len(labels); i++ {
			above, below := &labels[i-1], &labels[i]
			need := (above.height()+below.height())/2 + gap
			if miss := need - (below.y - above.y); miss > 0 {
				above.y -= miss / 2
				below.y += miss / 2
			}
		}
		for i := range labels {
			half := labels[i].height() / 2
			labels[i].y = min(max(labels[i].y, top+half), bottom-half)
		}
	}
}
