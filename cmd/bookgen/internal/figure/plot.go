package figure

import (
	"fmt"
	"strings"
)

// drawPlot draws lines over two axes, each named at its end.
func drawPlot(data []byte) (drawing, error) {
	p, err := readPlot(data)
	if err != nil {
		return drawing{}, err
	}
	title := p.Title
	if title == "" {
		title = p.Y.Label + ", by " + p.X.Label
	}
	return drawing{
		title:  title,
		wide:   p.draw(page{width: wideWidth, height: 400, lack: 80, ends: 170, xTicks: 7, yTicks: 7}),
		narrow: p.draw(page{width: narrowWidth, height: 330, lack: 70, ends: 92, xTicks: 4, yTicks: 6}),
	}, nil
}

// A page is the room that a plot has.
type page struct {
	width, height  float64
	lack           float64 // the height of what is lacking, below
	ends           float64 // the widest that a label at a line's end may be
	xTicks, yTicks int     // no more ticks than these
}

// A plot is a drawing in the making: the frame is where the lines are.
type plot struct {
	*plotted
	*canvas
	x, y                     scale
	left, right, top, bottom float64
	floor                    float64 // the line of the x axis
	low                      scale   // of what is lacking, below that
}

// crowded is how many points a line may have before their marks hide it.
const crowded = 30

func (p *plotted) draw(room page) *canvas {
	g := &plot{plotted: p, canvas: &canvas{width: room.width, height: room.height}}
	low, high := p.bounds(func(at point) float64 { return at.x })
	g.x = newScale(p.X.Log, low, high)
	low, high = p.bounds(func(at point) float64 { return at.y })
	g.y = newScale(p.Y.Log, low, high)

	ends := g.endLabels(room.ends)
	yTicks := g.y.ticks(room.yTicks)
	g.left = tickWidth(yTicks) + 10
	g.right = room.width - 18
	for _, e := range ends {
		g.right = min(g.right, room.width-widest(e.lines)-18)
	}
	heading := wrap(room.width, span{p.Y.title(), italic})
	g.top = leading*float64(len(heading)) + 16
	g.x.from, g.x.to = g.left, g.right
	absences := g.absences()
	for _, a := range absences {
		g.top = max(g.top, leading*float64(1+len(a))+16)
	}
	footing := wrap(room.width-g.left, span{p.X.title(), italic})
	g.floor = room.height - leading*float64(len(footing)) - 30
	ground := g.floor
	if g.Lack != "" {
		g.floor -= room.lack
		high := 0.0
		for _, at := range g.lack {
			high = max(high, at.y)
		}
		g.low = newScale(false, 0, high)
		g.low.from, g.low.to = ground, g.floor+2*leading+8
	}
	g.bottom = g.floor
	if g.y.log { // it has no zero: the lowest line is not the axis
		g.bottom -= 12
	}
	g.y.from, g.y.to = g.bottom, g.top

	g.canvas.text(0, 13, start, "f-i", plain(heading)...)
	g.canvas.text(g.left, ground+22+leading+2, start, "f-i", plain(footing)...)
	for i, a := range absences {
		x, to := g.x.at(p.Absences[i].From), g.x.at(p.Absences[i].To)
		g.rect("f-e", x, g.top, to-x, ground-g.top)
		g.canvas.text((x+to)/2, g.top-6-leading*float64(len(a)-1), middle, "f-i", plain(a)...)
	}
	g.drawGrid(yTicks, room.xTicks, ground)
	for i := range p.Series {
		g.drawLine(i)
	}
	g.drawEnds(ends)
	if g.Lack != "" {
		g.drawLack(ground)
	}
	return g.canvas
}

// absences returns the names of what was away, each in lines that stand above
// its stretch.
func (g *plot) absences() (names [][]line) {
	for _, a := range g.Absences {
		width := max(g.x.at(a.To)-g.x.at(a.From), 60)
		names = append(names, wrap(width, span{a.Name, italic}))
	}
	return names
}

// drawLack draws what the second series lacks, over the ground.
func (g *plot) drawLack(ground float64) {
	g.canvas.text(0, g.floor+leading+4, start, "f-i", plain(wrap(g.width, span{g.Lack, italic}))[:1]...)
	for _, v := range []float64{0, g.low.high} {
		g.text(g.left-10, g.low.at(v)+4.5, end, "f-u", line{{Quantity(v), roman}})
	}
	g.path("f-l", "M"+num(g.left)+" "+num(g.low.to)+"H"+num(g.right))
	g.path("f-y", "M"+num(g.left)+" "+num(ground)+"H"+num(g.right))
	d := ""
	for _, piece := range g.pieces(g.lack) {
		d += g.through(piece, g.low)
	}
	g.path("f-s0", d)
}

// through returns the path through points, of which each y has its place on a
// scale.
func (g *plot) through(points []point, y scale) string {
	var path strings.Builder
	for n, p := range points {
		command := "L"
		if n == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%s %s", command, num(g.x.at(p.x)), num(y.at(p.y)))
	}
	return path.String()
}

func tickWidth(ticks []float64) float64 {
	width := 0.0
	for _, v := range ticks {
		width = max(width, roman.width(Quantity(v)))
	}
	return width
}

// drawGrid draws a hairline at each y that is marked, and the marks of both
// axes. Those of x stand on the ground, the lowest line.
func (g *plot) drawGrid(yTicks []float64, xLimit int, ground float64) {
	var grid strings.Builder
	for _, v := range yTicks {
		y := g.y.at(v)
		fmt.Fprintf(&grid, "M%s %sH%s", num(g.left), num(y), num(g.right))
		g.text(g.left-10, y+4.5, end, "f-u", line{{Quantity(v), roman}})
	}
	xTicks := g.fittingTicks(xLimit)
	for _, v := range xTicks {
		x := g.x.at(v)
		fmt.Fprintf(&grid, "M%s %sv6", num(x), num(ground))
		g.text(x, ground+22, middle, "f-u", line{{Quantity(v), roman}})
	}
	g.path("f-l", grid.String())
	g.path("f-y", "M"+num(g.left)+" "+num(g.floor)+"H"+num(g.right))
}

// fittingTicks takes ticks away until their numbers stand clear of each other.
func (g *plot) fittingTicks(limit int) []float64 {
	for ; limit > 2; limit-- {
		ticks := g.x.ticks(limit)
		clear := len(ticks) <= limit
		for i := 1; i < len(ticks); i++ {
			between := g.x.at(ticks[i]) - g.x.at(ticks[i-1])
			need := roman.width(Quantity(ticks[i]))/2 + roman.width(Quantity(ticks[i-1]))/2
			clear = clear && between > need+10
		}
		if clear {
			return ticks
		}
	}
	return g.x.ticks(2)
}

// drawLine draws series i and marks its points. Lines differ by colour, by
// dash and by the shape of their marks: any one of them is enough. A line of many
// points has no marks.
func (g *plot) drawLine(i int) {
	points := g.Series[i].points
	class := fmt.Sprintf("f-s%d", i)
	d := ""
	for _, piece := range g.pieces(points) {
		d += g.through(piece, g.y)
	}
	g.path(class, d)
	if len(points) > crowded {
		return
	}
	var marks strings.Builder
	for _, p := range points {
		marks.WriteString(shape(i, g.x.at(p.x), g.y.at(p.y)))
	}
	g.open("class", "f-p")
	g.path(class, marks.String())
	g.close()
}

// shape returns the mark of a point: disc, square, triangle, diamond.
func shape(series int, x, y float64) string {
	switch series {
	case 0:
		return fmt.Sprintf("M%s %sa3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z", num(x-3.8), num(y))
	case 1:
		return fmt.Sprintf("M%s %sh7v7h-7z", num(x-3.5), num(y-3.5))
	case 2:
		return fmt.Sprintf("M%s %sl4.5 8h-9z", num(x), num(y-5))
	}
	return fmt.Sprintf("M%s %sl4.8 4.8-4.8 4.8-4.8-4.8z", num(x), num(y-4.8))
}
