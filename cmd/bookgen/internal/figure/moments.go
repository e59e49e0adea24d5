package figure

import "slices"

// A flag is a moment's line, and what it says at the upper end of that.
type flag struct {
	x, left float64 // of the line, and of the words
	says    line
	row     int // of the words, counted upwards
}

const flagGap = 4 // between a line and its words

func (f flag) right() float64 { return f.left + f.says.width() }

// over reports whether f's words would stand in the way of other's line.
func (f flag) over(other flag) bool {
	return f.left-flagGap < other.x && other.x < f.right()+flagGap
}

// beside reports whether there is room for the words of both in one row.
func (f flag) beside(other flag) bool {
	return f.right()+8 <= other.left || other.right()+8 <= f.left
}

// flags places moments on paper of some width. The words of the first ones are to
// the right of their lines, those of the others to the left: as many are to the
// right as can be without a line through words.
func flags(all []moment, at func(int64) float64, width float64) (best []flag) {
	fewest := len(all) + 1
	for rightward := len(all); rightward >= 0; rightward-- {
		placed := make([]flag, len(all))
		for i, m := range all {
			f := flag{x: at(m.At), says: line{{m.Says, roman}, {" " + watch(seconds(m.At)), muted}}}
			f.left = min(f.x+flagGap, width-f.says.width())
			if i >= rightward {
				f.left = max(0, f.x-flagGap-f.says.width())
			}
			placed[i] = f
		}
		if crossed := pile(placed); crossed < fewest {
			best, fewest = placed, crossed
		}
	}
	return best
}

// pile gives each flag a row, above the lines that its words are over, and
// returns for how many that cannot be.
func pile(all []flag) (crossed int) {
	var done []int
	for left := indices(len(all)); len(left) > 0; {
		next, free := 0, false
		for n, i := range left {
			if free = all[i].lowest(all, left); free {
				next = n
				break
			}
		}
		if !free {
			crossed++
		}
		f := &all[left[next]]
		for _, i := range done {
			if f.over(all[i]) || !f.beside(all[i]) {
				f.row = max(f.row, all[i].row+1)
			}
		}
		done = append(done, left[next])
		left = append(left[:next:next], left[next+1:]...)
	}
	return crossed
}

// lowest reports whether f is over none of some others' lines.
func (f flag) lowest(all []flag, others []int) bool {
	for _, i := range others {
		if other := all[i]; other.x != f.x && f.over(other) {
			return false
		}
	}
	return true
}

func indices(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// highest is how many rows flags need.
func highest(all []flag) (rows int) {
	for _, f := range all {
		rows = max(rows, f.row+1)
	}
	return rows
}

// drawFlags draws them with the lowest words ending at y, and lines down to the
// floor.
func (c *canvas) drawFlags(all []flag, y, floor float64) {
	d := ""
	for _, f := range all {
		top := y - leading*float64(f.row)
		if f.left < f.x && f.x < f.right() {
			top += 4 // the words are over their own line
		} else {
			top -= 12
		}
		d += "M" + num(f.x) + " " + num(top) + "V" + num(floor)
	}
	if d != "" {
		c.path("f-y", d)
	}
	for _, f := range all {
		class := ""
		if slices.ContainsFunc(all, func(other flag) bool { return other.row > f.row && f.over(other) }) {
			class = "f-c"
		}
		c.text(f.left, y-leading*float64(f.row)-1, start, class, f.says)
	}
}
