package figure

import (
	"errors"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// A drawing is one figure in the two widths it will be seen in.
type drawing struct {
	title        string
	wide, narrow *canvas
}

// A kind turns its data into a drawing. What stands behind the kind's name, as
// in "map 2", is for it to understand.
type kind func(data []byte, of string) (drawing, error)

// whole is a kind that always draws all of its data.
func whole(draw func(data []byte) (drawing, error)) kind {
	return func(data []byte, of string) (drawing, error) {
		if of != "" {
			return drawing{}, fmt.Errorf("nothing may stand behind the kind, and there is %q", of)
		}
		return draw(data)
	}
}

// A further kind is a file with such a function, and a line here.
var kinds = map[string]kind{
	"decision": whole(drawDecision),
	"lanes":    whole(drawLanes),
	"map":      drawMap,
	"nodes":    whole(drawNodes),
	"owners":   whole(drawOwners),
	"path":     whole(drawPath),
	"plot":     whole(drawPlot),
	"pointers": whole(drawPointers),
	"spans":    whole(drawSpans),
}

// Render draws data as a figure of the given kind. Every id in the result
// begins with id; alt is what the figure says to who does not see it, and must
// not be empty. The page has to include [Style] once.
//
// The result is a <div class="fig fig-KIND"> around two drawings, of which the
// style sheet shows one, by the width of the column.
func Render(kind string, data []byte, id, alt string) (template.HTML, error) {
	kind, of, _ := strings.Cut(kind, " ")
	draw, ok := kinds[kind]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return "", fmt.Errorf("no figure of kind %q: there are %s", kind, known)
	}
	if id == "" {
		return "", errors.New("a figure needs an id")
	}
	if strings.TrimSpace(alt) == "" {
		return "", errors.New("a figure needs a text alternative")
	}
	d, err := draw(data, of)
	if err != nil {
		return "", fmt.Errorf("figure %s: %w", kind, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="fig fig-%s">`, kind)
	d.wide.writeTo(&b, "wide", id+"-w", d.title, alt)
	d.narrow.writeTo(&b, "narrow", id+"-n", d.title, alt)
	b.WriteString("</div>")
	return template.HTML(b.String()), nil
}
