package figure

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// drawDecision draws how a node is found for a Pod: each falls through the
// filters until one stops it, and those that fall through get points.
func drawDecision(data []byte) (drawing, error) {
	v, err := readVerdict(data)
	if err != nil {
		return drawing{}, err
	}
	title := v.Title
	if title == "" {
		title = "Where " + v.Pod + " goes, and why"
	}
	n := float64(len(v.Nodes))
	return drawing{
		title:  title,
		wide:   v.draw(wideWidth, max(268, min(344, wideWidth-84*n))),
		narrow: v.draw(narrowWidth, max(114, min(150, narrowWidth-45*n))),
	}, nil
}

const (
	filterRow = 23
	scoreRow  = 31
	textRise  = 12.5 // from the top of a row to its first baseline
)

// A funnel is such a drawing in the making.
type funnel struct {
	*verdict
	*canvas
	label, pitch float64 // how wide the names' column is, and each node's
	top          float64 // where the nodes' lines begin
	stops        []float64
}

func (v *verdict) draw(width, label float64) *canvas {
	f := &funnel{verdict: v, canvas: &canvas{width: width}, label: label}
	f.pitch = (width - label - 4) / float64(len(v.Nodes))
	y := f.drawHeads()
	y = f.drawFilters(y)
	for i := range v.Nodes {
		f.drawFall(i, y)
	}
	f.height = f.drawScores(y) + 1
	return f.canvas
}

// middle is that of a node's column.
func (f *funnel) middle(i int) float64 { return f.label + f.pitch*(float64(i)+0.5) }

// drawHeads writes the nodes' names. Where there is no room for all of each,
// what they have in common stands before them.
func (f *funnel) drawHeads() float64 {
	names, common := f.heads()
	if common != "" {
		f.text(f.label-2, textRise, end, "f-m f-u", plain([]line{{{common, mono}}})...)
	}
	lines := 0
	for i, name := range names {
		head := wrap(f.pitch-6, span{name, mono})
		f.text(f.middle(i), textRise, middle, "", head...)
		lines = max(lines, len(head))
	}
	f.top = leading*float64(lines) + 3
	return f.top
}

func (f *funnel) heads() (names []string, common string) {
	fits := true
	for _, n := range f.Nodes {
		names = append(names, n.Name)
		fits = fits && mono.width(n.Name) <= f.pitch-6
	}
	if fits {
		return names, ""
	}
	common = names[0][:strings.LastIndex(names[0], "-")+1]
	for _, name := range names {
		for !strings.HasPrefix(name, common) {
			common = common[:strings.LastIndex(strings.TrimSuffix(common, "-"), "-")+1]
		}
	}
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], common)
	}
	return names, common
}

// drawFilters draws a line a filter, and below its name what it said to those
// it stopped.
func (f *funnel) drawFilters(y float64) float64 {
	d := ""
	y = f.drawSection(y, "filters")
	for i, name := range f.Filters {
		lines := humps(f.label-12, name)
		f.text(0, y+textRise, start, "", lines...)
		below := leading * float64(len(lines))
		for _, words := range f.words(i) {
			said := plain(wrap(f.label-12, span{words, italic}))
			f.text(0, y+textRise+below, start, "f-i", said...)
			below += leading * float64(len(said))
		}
		f.stops = append(f.stops, y+8.5)
		d += "M" + num(f.label-4) + " " + num(y+8.5) + "H" + num(f.width)
		y += max(filterRow, below+6)
	}
	f.path("f-l", d)
	return y
}

// drawSection writes what the rows from y on are.
func (f *funnel) drawSection(y float64, means string) float64 {
	f.text(0, y+textRise, start, "f-i", plain([]line{{{means, italic}}})...)
	return y + 22
}

// drawFall draws a node's line down to the filter that stops it, or to floor.
func (f *funnel) drawFall(i int, floor float64) {
	n, x := f.Nodes[i], f.middle(i)
	from := "M" + num(x) + " " + num(f.top) + "V"
	switch {
	case n.Refused != nil:
		at := f.stops[n.stop]
		f.path("f-y", from+num(at))
		f.path("f-f", fmt.Sprintf("M%s %sh18", num(x-9), num(at)))
	case f.won(n):
		f.path("f-a", from+num(floor-6))
		f.path("f-h", fmt.Sprintf("M%s %sl-4.5-8h9z", num(x), num(floor+1)))
	default:
		f.path("f-y", fmt.Sprintf("%sM%s %sl4.5-8m-4.5 8l-4.5-8", from+num(floor), num(x), num(floor)))
	}
}

// drawScores draws what the nodes got that fell through, and who won.
func (f *funnel) drawScores(y float64) float64 {
	if f.Chosen == "" {
		return f.drawSection(y, "no node is left") - 6
	}
	top := y + 5
	y = top + 6
	if len(f.Scores) > 0 {
		y = f.drawSection(y, "scores × weight")
	}
	for i := range f.Scores {
		y = f.drawScore(i, y)
	}
	if len(f.Scores) > 0 {
		y = f.drawSums(y)
	} else {
		y = f.drawSection(y, "the only one left")
	}
	f.drawChosen(top, y)
	return y + 22
}

// drawScore draws a row of points out of a hundred.
func (f *funnel) drawScore(i int, y float64) float64 {
	name := humps(f.label-12, f.Scores[i].Name)
	weight := span{" × " + strconv.Itoa(f.Scores[i].Weight), muted}
	if last := len(name) - 1; name[last].width()+weight.font.width(weight.text) <= f.label-12 {
		name[last] = append(name[last], weight)
	} else {
		name = append(name, line{{strings.TrimSpace(weight.text), muted}})
	}
	f.text(0, y+textRise, start, "", name...)

	full := min(44, f.pitch-8)
	hundred, others, winner := "", "", ""
	f.numbers(y+textRise, 0, func(n candidate) int { return n.Scores[i] })
	for j, n := range f.Nodes {
		if n.Refused != nil {
			continue
		}
		from := "M" + num(f.middle(j)-full/2) + " " + num(y+19.5) + "h"
		hundred += from + num(full)
		switch points := full * float64(n.Scores[i]) / 100; {
		case points == 0:
		case f.won(n):
			winner += from + num(points)
		default:
			others += from + num(points)
		}
	}
	f.path("f-l", hundred)
	f.bars("f-s3 f-k", others)
	f.bars("f-s0 f-k", winner)
	return y + max(scoreRow, leading*float64(len(name))+6)
}

// bars draws what is there to be drawn.
func (f *funnel) bars(class, d string) {
	if d != "" {
		f.path(class, d)
	}
}

// numbers writes one for each node that fell through; of two beside each other
// one may be lower.
func (f *funnel) numbers(y, lower float64, of func(candidate) int) {
	digits := roman
	if f.close() {
		digits = mono
	}
	var all []placed
	low := lower
	for i, n := range f.Nodes {
		if n.Refused != nil {
			low = lower
		} else {
			low = lower - low
			number := line{{strconv.Itoa(of(n)), digits}}
			all = append(all, placed{point{f.middle(i), y + low}, number})
		}
	}
	f.texts(middle, "", all...)
}

// close reports whether columns are too narrow for a sum.
func (f *funnel) close() bool { return f.pitch < 40 }

func (f *funnel) drawSums(y float64) float64 {
	lower := 0.0
	if f.close() {
		lower = leading - 3
	}
	f.path("f-y", "M"+num(f.label-4)+" "+num(y)+"H"+num(f.width))
	y += 5
	f.numbers(y+textRise, lower, func(n candidate) int { return n.Sum })
	return f.drawSection(y, "sum") + lower
}

// drawChosen draws a box around the winner's points, and says what it means.
func (f *funnel) drawChosen(top, bottom float64) {
	for i, n := range f.Nodes {
		if !f.won(n) {
			continue
		}
		wide := min(max(f.pitch-2, 33), 64)
		f.path("f-s0", fmt.Sprintf("M%s %sh%sv%sh%sz", num(f.middle(i)-wide/2), num(top), num(wide), num(bottom-top), num(-wide)))
		means := line{{"chosen", roman}}
		x := min(f.middle(i), f.width-means.width()/2)
		f.text(x, bottom+15, middle, "f-s0", means)
	}
}

// humps sets a name in lines, broken where a capital begins a word.
func humps(width float64, name string) []line {
	var lines []line
	current, hump := "", ""
	flush := func() {
		if current != "" && mono.width(current+hump) > width {
			lines = append(lines, wrap(width, span{current, mono})...)
			current = ""
		}
		current, hump = current+hump, ""
	}
	for _, r := range name {
		if unicode.IsUpper(r) {
			flush()
		}
		hump += string(r)
	}
	flush()
	return append(lines, wrap(width, span{current, mono})...)
}
