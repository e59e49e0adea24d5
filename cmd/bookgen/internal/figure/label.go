package figure

import "strings"

// A span is text in one font, a line some spans after each other.
type (
	span struct {
		text string
		font font
	}
	line []span
)

func (l line) width() float64 {
	sum := 0.0
	for _, s := range l {
		sum += s.font.width(s.text)
	}
	return sum
}

func (l line) text() (all string) {
	for _, s := range l {
		all += s.text
	}
	return all
}

// box returns the paper that l covers when it is set at x, y.
func (l line) box(x, y float64, a anchor) box {
	size := 0.0
	for _, s := range l {
		size = max(size, s.font.size)
	}
	width := l.width()
	left := x
	switch a {
	case middle:
		left = x - width/2
	case end:
		left = x - width
	}
	return box{left, y - 0.75*size, left + width, y + 0.22*size, l.text()}
}

// plain takes the classes off spans whose text element has them.
func plain(lines []line) []line {
	for _, l := range lines {
		for i := range l {
			l[i].font.class = ""
		}
	}
	return lines
}

// widest returns the width of the longest line.
func widest(lines []line) float64 {
	width := 0.0
	for _, l := range lines {
		width = max(width, l.width())
	}
	return width
}

// wrap sets spans in lines that are no wider than width. A word that is too
// long by itself is broken behind a sign that joins names, or else at the
// line's end.
func wrap(width float64, spans ...span) []line {
	var lines []line
	var current line
	for _, word := range words(spans) {
		if len(current) > 0 && current.with(word, true).width() <= width {
			current = current.with(word, true)
			continue
		}
		if len(current) > 0 {
			lines = append(lines, current)
			current = nil
		}
		for i, piece := range pieces(word, width) {
			if i > 0 {
				lines = append(lines, current)
			}
			current = line{piece}
		}
	}
	if len(current) > 0 {
		lines = append(lines, current)
	}
	return lines
}

// balance wraps spans into as few lines as wrap does, but of lengths as equal
// as that allows: no word stands alone below a long line.
func balance(width float64, spans ...span) []line {
	lines := wrap(width, spans...)
	for narrower := width - 4; narrower > width/3; narrower -= 4 {
		tighter := wrap(narrower, spans...)
		if len(tighter) > len(lines) || widest(tighter) > narrower {
			break
		}
		lines = tighter
	}
	return lines
}

func words(spans []span) []span {
	var out []span
	for _, s := range spans {
		for _, w := range strings.Fields(s.text) {
			out = append(out, span{w, s.font})
		}
	}
	return out
}

// with returns l and word, joined to l's last span if that has its font.
func (l line) with(word span, spaced bool) line {
	if spaced {
		word.text = " " + word.text
	}
	out := append(line(nil), l...)
	if n := len(out); n > 0 && out[n-1].font == word.font {
		out[n-1].text += word.text
		return out
	}
	return append(out, word)
}

// pieces breaks word so that each piece fits width, if that is possible.
func pieces(word span, width float64) []span {
	var out []span
	rest := []rune(word.text)
	for len(rest) > 1 && word.font.width(string(rest)) > width {
		cut, joint := 1, 0
		for cut < len(rest) && word.font.width(string(rest[:cut+1])) <= width {
			if strings.ContainsRune("/-.,:", rest[cut]) && cut+1 < len(rest) {
				joint = cut + 1
			}
			cut++
		}
		if joint > 0 && joint <= cut {
			cut = joint
		}
		out = append(out, span{string(rest[:cut]), word.font})
		rest = rest[cut:]
	}
	return append(out, span{string(rest), word.font})
}
