package figure

import (
	"cmp"
	"fmt"
	"strings"
)

// A room says how wide the lines of a text may be, and how many may stand below
// each other.
type room struct {
	width float64
	lines int
}

// readRoom reads the room that e has, if it says so: a width, and perhaps a
// number of lines.
func (f *filler) readRoom(e *element) {
	text := e.attr("data-room")
	if text == "" {
		return
	}
	f.room = room{lines: 1}
	if n, _ := fmt.Sscanf(text, "%g %d", &f.room.width, &f.room.lines); n == 0 {
		f.fail(e, "data-room=%q is not WIDTH LINES", text)
	}
}

// A typesetter collects the lines of a text. A tspan with a place of its own
// begins a paragraph, which is wrapped if it is longer than its room.
type typesetter struct {
	*filler
	class string // of the text
	at    point  // of the paragraph
	spans []span // of the paragraph
	blank bool   // is in the paragraph
	below int    // lines above it, in its column
	lines []placed
}

func (f *filler) fillText(e *element) {
	was, before := f.room, len(f.boxes)
	f.readRoom(e)
	f.attributes(e)
	t := &typesetter{filler: f, class: e.attr("class"), at: point{f.number(e, "x"), f.number(e, "y")}}
	t.read(e, "")
	t.end(e)
	f.texts(anchor(e.attr("text-anchor")), t.class, t.lines...)
	if err := f.clear(before); err != nil {
		f.fail(e, "%v", err)
	}
	f.room = was
}

// read collects the words in e, in spans of a class.
func (t *typesetter) read(e *element, class string) {
	for _, kid := range e.kids {
		if kid.name == "" {
			t.spans = append(t.spans, span{t.filled(kid, kid.text), fontOf(t.class, class)})
			t.blank = t.blank || blank.MatchString(kid.text)
			continue
		}
		if kid.name != "tspan" {
			t.fail(kid, "a text consists of words and tspans: there is no %s", kid.name)
		}
		t.attributes(kid)
		if kid.attr("x")+kid.attr("y")+kid.attr("dy") != "" {
			t.end(kid)
			t.at.y += t.number(kid, "dy")
			if kid.attr("dy") == "" {
				t.below = 0
			}
			if kid.attr("x") != "" {
				t.at.x = t.number(kid, "x")
			}
			if kid.attr("y") != "" {
				t.at.y = t.number(kid, "y")
			}
		}
		t.read(kid, strings.TrimSpace(class+" "+kid.attr("class")))
	}
}

// end sets the paragraph; the next one counts its place from the last line.
func (t *typesetter) end(e *element) {
	if t.blank && t.room.lines == 0 {
		t.fail(e, "a text with a blank needs a data-room: how wide it may be, and how many lines")
	}
	set := wrap(cmp.Or(t.room.width, t.width), t.spans...)
	t.below += len(set)
	if t.room.lines > 0 && t.below > t.room.lines {
		t.fail(e, "with %q there are %d lines of %v, and there is room for %d", line(t.spans).text(), t.below, t.room.width, t.room.lines)
	}
	for i, l := range set {
		if i > 0 {
			t.at.y += leading
		}
		t.lines = append(t.lines, placed{t.at, l})
	}
	t.spans, t.blank = nil, false
}

// fontOf returns the font of a span in a text, each with its classes.
func fontOf(text, class string) font {
	f := font{class: class, size: roman.size, widths: roman.widths}
	for _, name := range strings.Fields(text + " " + class) {
		switch name {
		case mono.class:
			f.size, f.widths = mono.size, mono.widths
		case italic.class:
			f.widths = italic.widths
		case "f-n":
			f.size = numeral.size
		}
	}
	return f
}
