package figure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A roster is the data of a map of writers: which program writes what of which
// kind of object.
type roster struct {
	Programs []writer  `json:"programs"` // in the order of their chapters
	Kinds    []subject `json:"kinds"`
	Writes   int       `json:"writes"` // of all programs; for the page's text
	Loops    int       `json:"loops"`  // so many of the programs; likewise

	chapter int // whose programs are lit; 0: all are
}

type writer struct {
	Name    string `json:"name"`
	Chapter int    `json:"chapter"` // that builds it; 0: none
}

type subject struct {
	Name   string `json:"name"`
	Writes []struct {
		Program string `json:"program"`
		Spec    bool   `json:"spec"`
		Status  bool   `json:"status"`
	} `json:"writes"`
}

const (
	squarePitch = 21.0 // from row to row
	numberRoom  = 20.0 // above the programs, for the numbers of their chapters
)

// drawWriters draws a row a kind, a column a program, and a mark where that
// writes. of is the number of the chapter whose programs are lit.
func drawWriters(data []byte, of string) (drawing, error) {
	var r roster
	if err := decode(data, &r); err != nil {
		return drawing{}, err
	}
	var err error
	if r.chapter, err = strconv.Atoi(of); of != "" && (err != nil || r.chapter < 1) {
		return drawing{}, fmt.Errorf("%q is not a chapter: write \"writers\", or \"writers 3\"", of)
	}
	if err := r.check(); err != nil {
		return drawing{}, err
	}
	half := r.half()
	narrow := &canvas{width: narrowWidth}
	r.grid(narrow, r.Programs[:half])
	narrow.height += 14
	r.grid(narrow, r.Programs[half:])
	wide := &canvas{width: wideWidth}
	r.grid(wide, r.Programs)
	for _, c := range []*canvas{wide, narrow} {
		r.legend(c)
	}
	return drawing{"Who writes what", wide, narrow}, nil
}

// WritersOf returns the names of the programs that a chapter builds, from the
// data of a map of writers.
func WritersOf(data []byte, chapter int) ([]string, error) {
	var r roster
	if err := decode(data, &r); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range r.Programs {
		if p.Chapter == chapter {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

func (r *roster) check() error {
	if len(r.Programs) < 2 || len(r.Kinds) == 0 {
		return errors.New("who writes what has two programs at least, and a kind")
	}
	for i, p := range r.Programs {
		if i > 0 && p.Chapter < r.Programs[i-1].Chapter {
			return fmt.Errorf("programs[%d]: %s is of chapter %d, and stands behind one of chapter %d",
				i, p.Name, p.Chapter, r.Programs[i-1].Chapter)
		}
	}
	for _, k := range r.Kinds {
		for _, w := range k.Writes {
			if !slices.ContainsFunc(r.Programs, func(p writer) bool { return p.Name == w.Program }) {
				return fmt.Errorf("%s writes %s and is not one of the programs", w.Program, k.Name)
			}
		}
	}
	return nil
}

// half returns how many programs stand in the first of the two grids that a
// phone has: whole chapters.
func (r *roster) half() int {
	at := len(r.Programs) / 2
	for at > 1 && r.Programs[at-1].Chapter == r.Programs[at].Chapter {
		at--
	}
	return at
}

// grid draws the columns of some programs below what c has, with all rows.
func (r *roster) grid(c *canvas, programs []writer) {
	var kinds, names []line
	for _, k := range r.Kinds {
		kinds = append(kinds, line{{k.Name, roman}})
	}
	for _, p := range r.Programs { // of all, so that both grids of a phone are one size
		names = append(names, line{{p.Name, roman}})
	}
	left := widest(kinds) + 10
	pitch := min((c.width-left-2)/float64(len(programs)), 32)
	top := c.height + numberRoom + widest(names) + 8
	bottom := top + squarePitch*float64(len(r.Kinds))
	x := func(i int) float64 { return left + pitch*(float64(i)+0.5) }

	for i := 0; i < len(programs); {
		last := i
		for last+1 < len(programs) && programs[last+1].Chapter == programs[i].Chapter {
			last++
		}
		r.chapterHead(c, programs[i].Chapter, x(i)-pitch/2, x(last)+pitch/2, bottom)
		i = last + 1
	}
	for i, p := range programs {
		c.upward(x(i)+4.5, top-8, r.look(p.Chapter), line{{p.Name, roman}})
	}
	for i, k := range r.Kinds {
		y := top + squarePitch*(float64(i)+0.5)
		c.path("f-l", "M0 "+num(y-squarePitch/2)+"H"+num(x(len(programs)-1)+pitch/2))
		c.text(0, y+4.5, start, "", kinds[i])
		for _, w := range k.Writes {
			at := slices.IndexFunc(programs, func(p writer) bool { return p.Name == w.Program })
			if at >= 0 {
				r.mark(c, x(at), y, w.Spec, w.Status, r.lit(programs[at].Chapter))
			}
		}
	}
	c.height = bottom + 2
}

// chapterHead writes the number of a chapter above its programs, and puts a
// ground behind those that are lit.
func (r *roster) chapterHead(c *canvas, chapter int, from, to, bottom float64) {
	top := c.height
	if chapter == 0 {
		return
	}
	if r.chapter == chapter {
		c.rect("f-e", from+1, top+numberRoom-3, to-from-2, bottom-top-numberRoom+3)
	}
	c.path(map[bool]string{true: "f-a", false: "f-l"}[r.chapter == chapter],
		"M"+num(from+3)+" "+num(top+numberRoom-3)+"H"+num(to-3))
	c.text((from+to)/2, top+numberRoom-8, middle, "f-n", line{{strconv.Itoa(chapter), numeral}})
}

// lit reports whether a chapter is built by now.
func (r *roster) lit(chapter int) bool { return r.chapter == 0 || chapter <= r.chapter }

// look returns the class of a program's name.
func (r *roster) look(chapter int) string {
	if r.lit(chapter) {
		return ""
	}
	return "f-u"
}

// mark draws a dot for a spec, a ring for a status, and both for both: in
// outline if the program isn't built yet.
func (r *roster) mark(c *canvas, x, y float64, spec, status, lit bool) {
	dot, ring := "f-x", "f-a"
	if !lit {
		dot, ring = "f-l", "f-l"
	}
	if status {
		c.circle(ring, x, y, 7)
	}
	if spec {
		c.circle(dot, x, y, 3.6)
	}
}

// legend says below the grids what the marks mean.
func (r *roster) legend(c *canvas) {
	y := c.height + 18
	x := 8.0
	for _, s := range []struct {
		spec, status bool
		means        string
	}{{true, false, "makes, changes or deletes it"}, {false, true, "writes its status"}} {
		means := line{{s.means, italic}}
		r.mark(c, x, y-4.5, s.spec, s.status, true)
		c.text(x+13, y, start, "f-i", plain([]line{means})...)
		x += 13 + means.width() + 24
	}
	c.height = y + 8
}

// upward sets a line from the bottom to the top, with its beginning at (x, y).
func (c *canvas) upward(x, y float64, class string, l line) {
	width := l.width()
	c.boxes = append(c.boxes, box{x - 11, y - width, x + 3, y, l.text()})
	c.body.WriteString("<text")
	c.attrs([]string{"class", class, "transform", "translate(" + num(x) + " " + num(y) + ")rotate(-90)"})
	c.body.WriteString(">" + escape(l.text()) + "</text>")
}
