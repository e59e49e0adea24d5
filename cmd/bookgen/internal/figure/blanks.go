package figure

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// Fill draws data in the blanks of an SVG file: a picture that exists once needs
// no kind. The package's documentation says how such a file is written. Errors
// name the file and the line; id and alt are as for [Render].
func Fill(file string, svg, data []byte, id, alt string) (string, error) {
	d, err := fill(file, svg, data)
	if err != nil {
		return "", err
	}
	return d.html(strings.TrimSuffix(filepath.Base(file), ".svg"), id, alt)
}

// fill returns the drawing, or all of its errors.
func fill(file string, svg, data []byte) (drawing, error) {
	run, err := readRecording(data)
	if err != nil {
		return drawing{}, err
	}
	root, err := parse(svg)
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return drawing{}, source.At(file, syntax.Line, "%s", syntax.Msg)
	} else if err != nil {
		return drawing{}, source.At(file, 1, "%v", err)
	}
	f := &filler{file: file, run: run, shared: map[string]*element{}}
	d := drawing{wide: &canvas{}, narrow: &canvas{}}
	for _, e := range root.kids {
		f.part(e, &d)
	}
	for _, value := range run.unused() {
		f.fail(root, "the run says %s: nothing here shows or expects it", value)
	}
	if d.title == "" || d.wide.width == 0 || d.narrow.width == 0 {
		f.fail(root, "a drawing needs a title, an svg of the class wide and one of the class narrow")
	}
	return d, source.Join(f.errs...)
}

// A filler fills the blanks of a file, and draws on one variant's canvas after
// the other's.
type filler struct {
	*canvas
	file   string
	run    *recording
	shared map[string]*element // in defs, by reference
	at     string              // the nearest data-at: paths that begin with a dot begin there
	scale  []scale             // of the nearest data-x
	room   room                // of the nearest data-room
	errs   []error
}

func (f *filler) fail(e *element, format string, args ...any) {
	f.errs = append(f.errs, source.At(f.file, e.line, format, args...))
}

// part draws one of the parts that a file consists of.
func (f *filler) part(e *element, d *drawing) {
	switch e.name {
	case "":
	case "title":
		d.title = f.filled(e, e.words())
	case "metadata":
		for i, l := range strings.Split(e.words(), "\n") {
			f.expect(&element{line: e.line + i}, strings.TrimSpace(l))
		}
	case "defs":
		for _, shared := range e.kids {
			f.shared["#"+shared.attr("id")] = shared
		}
	case "svg":
		f.canvas = map[string]*canvas{"wide": d.wide, "narrow": d.narrow}[e.attr("class")]
		if f.canvas == nil {
			f.fail(e, "%q is neither wide nor narrow", e.attr("class"))
			return
		}
		if _, err := fmt.Sscanf(e.attr("viewBox"), "0 0 %g %g", &f.width, &f.height); err != nil {
			f.fail(e, "%q is not 0 0 WIDTH HEIGHT", e.attr("viewBox"))
		}
		f.inside(e, point{}, e.kids...)
	default:
		f.fail(e, "no %s has its place here", e.name)
	}
}

// expect compares the run's values at a path with those that the drawing was
// made for.
func (f *filler) expect(e *element, line string) {
	path, list, _ := strings.Cut(line, ": ")
	if line == "" {
		return
	}
	var wanted, got []string
	for one := range strings.SplitSeq(list, ", ") {
		wanted = append(wanted, f.filled(e, strings.TrimSpace(one)))
	}
	for _, one := range f.find(path) {
		got = append(got, cmp.Or(one.text(), "-"))
	}
	if !slices.Equal(wanted, got) {
		f.fail(e, "%s: the run says %s, and this was drawn for %s", path, strings.Join(got, ", "), strings.Join(wanted, ", "))
	}
}

// inside draws kids as they stand in e, moved by the given distance.
func (f *filler) inside(e *element, by point, kids ...*element) {
	at, scale, room, origin := f.at, f.scale, f.room, f.origin
	f.at = cmp.Or(e.attr("data-at"), at)
	f.readScale(e)
	f.readRoom(e)
	f.origin = point{origin.x + by.x, origin.y + by.y}
	for _, kid := range kids {
		f.draw(kid)
	}
	f.at, f.scale, f.room, f.origin = at, scale, room, origin
}

func (f *filler) draw(e *element) {
	switch e.name {
	case "":
		if text := strings.TrimSpace(e.text); text != "" {
			f.fail(e, "%q stands in no text", text)
		}
	case "path", "circle", "rect":
		f.element(e.name, f.attributes(e)...)
	case "text":
		f.fillText(e)
	case "g":
		var by point
		if move := e.attr("transform"); move != "" {
			if _, err := fmt.Sscanf(move, "translate(%g %g)", &by.x, &by.y); err != nil {
				f.fail(e, "%q is not translate(X Y)", move)
			}
		}
		f.open(f.attributes(e)...)
		f.inside(e, by, e.kids...)
		f.close()
	case "use":
		href := e.attr("href")
		shared := f.shared[href]
		if shared == nil {
			f.fail(e, "nothing in defs has the id of %q", href)
			return
		}
		f.attributes(e)
		by := point{f.number(e, "x"), f.number(e, "y")}
		f.shared[href] = nil // it may not use itself
		f.open("transform", "translate("+pair(by)+")")
		f.inside(e, by, shared)
		f.close()
		f.shared[href] = shared
	default:
		f.fail(e, "a drawing is made of path, circle, rect, text, g and use: there is no %s", e.name)
	}
}

// allowed lists the elements that a drawing is made of, and the attributes that
// each may have. Colours and strokes come from the style sheet, by classes.
var allowed = map[string][]string{
	"path":   {"id", "class", "d", "data-e"},
	"circle": {"id", "class", "cx", "cy", "r"},
	"rect":   {"id", "class", "x", "y", "width", "height"},
	"text":   {"id", "class", "x", "y", "text-anchor", "data-room"},
	"tspan":  {"class", "x", "y", "dy"},
	"g":      {"id", "class", "transform", "data-s", "data-t", "data-at", "data-x", "data-room"},
	"use":    {"href", "x", "y", "data-at", "data-x", "data-room"},
}

// forFiller lists those attributes that are no part of the picture.
var forFiller = []string{"id", "data-at", "data-x", "data-room"}

// attributes checks those of e, and returns the ones that are part of the
// picture, in pairs.
func (f *filler) attributes(e *element) (pairs []string) {
	for _, a := range e.attrs {
		switch name := a.Name.Local; {
		case !slices.Contains(allowed[e.name], name):
			f.fail(e, "%s is no attribute of %s in a drawing: there are %s", name, e.name, strings.Join(allowed[e.name], ", "))
		case !slices.Contains(forFiller, name):
			pairs = append(pairs, name, strings.Join(strings.Fields(f.filled(e, a.Value)), " "))
		}
	}
	return pairs
}
