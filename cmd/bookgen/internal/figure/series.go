package figure

import (
	"errors"
	"fmt"
	"strings"
)

// A plotted is the data of a plot.
type plotted struct {
	Title  string   `json:"title"`
	X      axis     `json:"x"`
	Y      axis     `json:"y"`
	Series []series `json:"series"`

	Absences []absence `json:"absences"` // optional
	Lack     string    `json:"lack"`     // optional: what the second series lacks of the first

	lack []point
}

// An absence is a stretch of x in which something was away.
type absence struct {
	Name string  `json:"name"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// An axis says what its numbers mean, and how they are spaced.
type axis struct {
	Label string `json:"label"`
	Unit  string `json:"unit"` // follows the values at the lines' ends
	Log   bool   `json:"log"`
}

// title returns the label, with the unit if the label does not speak of it.
func (a axis) title() string {
	if a.Unit == "" || strings.Contains(a.Label, a.Unit) {
		return a.Label
	}
	return a.Label + ", " + a.Unit
}

// amount writes a value with its unit: 1 object, 2 objects, 3 µs.
func (a axis) amount(v float64) string {
	unit := a.Unit
	if v == 1 && len(unit) > 4 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return strings.TrimSpace(Quantity(v) + " " + unit)
}

// A series is one line; its points are pairs of x and y, from left to right.
type series struct {
	Name   string       `json:"name"`
	Points [][]*float64 `json:"points"`

	points []point
}

const maxSeries = 4

func readPlot(data []byte) (*plotted, error) {
	var p plotted
	if err := decode(data, &p); err != nil {
		return nil, err
	}
	switch {
	case len(p.Series) == 0:
		return nil, fmt.Errorf("the plot has no series")
	case len(p.Series) > maxSeries:
		return nil, fmt.Errorf("%d series: a reader can follow %d", len(p.Series), maxSeries)
	case p.X.Label == "":
		return nil, fmt.Errorf("x has no label")
	case p.Y.Label == "":
		return nil, fmt.Errorf("y has no label")
	}
	for i := range p.Series {
		if err := p.Series[i].check(p.X, p.Y); err != nil {
			return nil, fmt.Errorf("series[%d] %q: %w", i, p.Series[i].Name, err)
		}
	}
	for i, a := range p.Absences {
		if a.Name == "" || a.From >= a.To {
			return nil, fmt.Errorf("absences[%d] %q: from %v to %v is no stretch", i, a.Name, a.From, a.To)
		}
	}
	if p.Lack != "" {
		return &p, p.noteLack()
	}
	return &p, nil
}

// noteLack finds the points of what is lacking: where both series have one.
func (p *plotted) noteLack() error {
	if len(p.Series) != 2 || p.Y.Log {
		return errors.New("what one series lacks of another is of two, over a linear axis")
	}
	has := map[float64]float64{}
	for _, at := range p.Series[1].points {
		has[at.x] = at.y
	}
	for _, at := range p.Series[0].points {
		y, ok := has[at.x]
		if y > at.y {
			return fmt.Errorf("at x %v the second series has more than the first: nothing is lacking", at.x)
		}
		if ok {
			p.lack = append(p.lack, point{at.x, at.y - y})
		}
	}
	if len(p.lack) == 0 {
		return errors.New("the series have no x in common")
	}
	return nil
}

// pieces cuts a line where something was away, and the line has no point.
func (p *plotted) pieces(points []point) (all [][]point) {
	first := 0
	for i := 1; i < len(points); i++ {
		for _, a := range p.Absences {
			if points[i-1].x <= a.From && a.To <= points[i].x {
				all = append(all, points[first:i])
				first = i
				break
			}
		}
	}
	return append(all, points[first:])
}

// check resolves the points, and refuses those that the axes cannot show.
func (s *series) check(x, y axis) error {
	if s.Name == "" {
		return fmt.Errorf("has no name")
	}
	if len(s.Points) == 0 {
		return fmt.Errorf("has no points")
	}
	for i, pair := range s.Points {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			return fmt.Errorf("points[%d] is not a pair of numbers", i)
		}
		p := point{*pair[0], *pair[1]}
		switch {
		case x.Log && p.x <= 0:
			return fmt.Errorf("points[%d]: x is %v: a logarithmic axis has no place for it", i, p.x)
		case y.Log && p.y <= 0:
			return fmt.Errorf("points[%d]: y is %v: a logarithmic axis has no place for it", i, p.y)
		case i > 0 && p.x <= s.points[i-1].x:
			return fmt.Errorf("points[%d]: x is %v after %v: a line goes from left to right", i, p.x, s.points[i-1].x)
		}
		s.points = append(s.points, p)
	}
	return nil
}

func (s series) last() point { return s.points[len(s.points)-1] }

// bounds returns the least and the greatest value that pick finds.
func (p *plotted) bounds(pick func(point) float64) (low, high float64) {
	low = pick(p.Series[0].points[0])
	high = low
	for _, s := range p.Series {
		for _, at := range s.points {
			low, high = min(low, pick(at)), max(high, pick(at))
		}
	}
	return low, high
}
