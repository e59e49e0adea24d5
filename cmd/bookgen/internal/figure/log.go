package figure

import (
	"cmp"
	"fmt"
)

// drawLog draws the records of a log that was cut, what is left of each, and
// what a start found.
func drawLog(data []byte) (drawing, error) {
	t, err := readTape(data)
	if err != nil {
		return drawing{}, err
	}
	return drawing{
		title:  cmp.Or(t.Title, fmt.Sprintf("A log that was cut after byte %d", t.Cut)),
		wide:   t.draw(wideWidth, 236),
		narrow: t.draw(narrowWidth, 0),
	}, nil
}

// A strip is such a drawing in the making.
type strip struct {
	*tape
	*canvas
	bytes scale
	label float64 // how wide the statements' column is; 0: they stand above
}

func (t *tape) draw(width, label float64) *canvas {
	s := &strip{tape: t, canvas: &canvas{width: width}, label: label}
	s.bytes = newScale(false, 0, float64(t.Bytes))
	s.bytes.from, s.bytes.to = max(2, label), width-widest([]line{{{"not written", roman}}})-12
	y := s.drawCut()
	for i := range t.Records {
		y = s.drawRecord(i, y)
	}
	s.height = s.drawFinds(y+8) + 1
	return s.canvas
}

// drawCut says where the log was cut.
func (s *strip) drawCut() float64 {
	says := line{{fmt.Sprintf("cut after byte %d", s.Cut), roman}}
	half := says.width() / 2
	x := min(max(s.bytes.at(float64(s.Cut)), half), s.width-half)
	s.text(x, textRise, middle, "", says)
	return leading + 6
}

// drawRecord draws one record, and returns where the next one begins.
func (s *strip) drawRecord(i int, y float64) float64 {
	r := s.Records[i]
	room := s.label - 14
	if s.label == 0 {
		room = s.width
	}
	lines := wrap(room, span{r.Statement, mono})
	s.text(0, y+textRise, start, "f-m", plain(lines)...)
	below := y + leading*float64(len(lines))
	middle, end := y+(below-y)/2, below+8
	if s.label == 0 {
		middle, end = below+10, below+26
	}
	is, class := s.drawBar(r, middle)
	s.text(s.bytes.to+10, middle+4.5, start, class, plain([]line{{{is, roman}}})...)
	x := num(s.bytes.at(float64(s.Cut)))
	if s.label == 0 {
		s.path("f-y", fmt.Sprintf("M%s %sv16", x, num(middle-8)))
	} else {
		s.path("f-y", fmt.Sprintf("M%s %sV%s", x, num(y-2), num(end-2)))
	}
	return end
}

// drawBar draws what is left of a record, and says what became of it.
func (s *strip) drawBar(r stretch, y float64) (is, class string) {
	bar := func(class string, end int) {
		s.path(class, "M"+num(s.bytes.at(float64(r.begin)))+" "+num(y)+"H"+num(s.bytes.at(float64(end))))
	}
	bar("f-l", r.End)
	switch {
	case r.End <= s.Kept:
		bar("f-s1 f-k", r.End)
		return "kept", ""
	case r.begin < s.Cut:
		bar("f-s0 f-k", s.Cut)
		return "cut off", "f-s0"
	}
	return "not written", "f-u"
}

// drawFinds writes what the slave was asked, and what it answered.
func (s *strip) drawFinds(y float64) float64 {
	from := s.label
	if from == 0 {
		for _, f := range s.Finds {
			from = max(from, roman.width(f.What)+12)
		}
	}
	for _, f := range s.Finds {
		s.text(0, y+textRise, start, "f-u", plain([]line{{{f.What, roman}}})...)
		answer := wrap(s.width-from, span{f.Is, mono})
		s.text(from, y+textRise, start, "f-m", plain(answer)...)
		y += leading*float64(len(answer)) + 4
	}
	return y
}
