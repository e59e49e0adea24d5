package figure

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The widths of the two variants that a kind draws.
const (
	wideWidth   = 680
	narrowWidth = 340
)

// A drawing is one figure in the two widths it will be seen in.
type drawing struct {
	title        string
	wide, narrow *canvas
}

// A kind turns its data into a drawing. The words behind the kind's name, as in
// "map 2", are its own to understand.
type kind func(data []byte, of string) (drawing, error)

// whole returns a kind that always draws all of its data.
func whole(draw func(data []byte) (drawing, error)) kind {
	return func(data []byte, of string) (drawing, error) {
		if of != "" {
			return drawing{}, fmt.Errorf("nothing may stand behind the kind, and there is %q", of)
		}
		return draw(data)
	}
}

// A further kind is a file with such a function, and a line here. A single
// picture is a drawing with blanks instead, because a kind costs some 540
// lines.
var kinds = map[string]kind{
	"lanes":   whole(drawLanes),
	"map":     drawMap,
	"plot":    whole(drawPlot),
	"spans":   whole(drawSpans),
	"writers": drawWriters,
}

// Render draws data as a figure of the given kind. Every id in the result
// begins with id; alt is the text for readers who do not see the figure, and must
// not be empty. The page has to include [Style] once.
//
// The result is a <div class="fig fig-KIND"> around two drawings, of which the
// style sheet shows one, by the width of the column.
func Render(kind string, data []byte, id, alt string) (string, error) {
	kind, of, _ := strings.Cut(kind, " ")
	draw, ok := kinds[kind]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return "", fmt.Errorf("no figure of kind %q: there are %s", kind, known)
	}
	d, err := draw(data, of)
	if err != nil {
		return "", fmt.Errorf("figure %s: %w", kind, err)
	}
	return d.html(kind, id, alt)
}

// html returns the variants, in the element that shows one of them.
func (d drawing) html(name, id, alt string) (string, error) {
	if id == "" {
		return "", errors.New("a figure needs an id")
	}
	if strings.TrimSpace(alt) == "" {
		return "", errors.New("a figure needs a text alternative")
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="fig fig-%s">`, name)
	d.wide.writeTo(&b, "wide", id+"-w", d.title, alt)
	d.narrow.writeTo(&b, "narrow", id+"-n", d.title, alt)
	b.WriteString("</div>")
	return b.String(), nil
}
