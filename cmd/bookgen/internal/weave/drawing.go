package weave

import (
	"fmt"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/slider"
)

// drawing is a figure made from a recorded run.
type drawing struct {
	id      string
	svg     string
	draw    func(only ...figure.Variant) (string, error)
	caption string
	slider  string // by which a reader has it drawn anew; optional
}

const figureForm = "figure:"

// drawing resolves a picture. Its title is `figure: kind | caption`, where a
// kind may have a word behind it, or is an SVG file with blanks. At its end may
// stand `| slider: name`.
func (c *Chapter) drawing(ref book.Reference) (element, error) {
	form, isFigure := strings.CutPrefix(ref.Title, figureForm)
	switch {
	case !isFigure:
		return nil, fmt.Errorf(`a picture is drawn from data: its title must begin with "figure: "; or it is a screenshot, NAME.png`)
	case strings.TrimSpace(ref.Text) == "":
		return nil, fmt.Errorf("the picture %s has no text alternative", address(ref))
	}
	if err := c.exists(ref.Path); err != nil {
		return nil, err
	}
	kind, text, _ := strings.Cut(form, "|")
	kind = strings.Join(strings.Fields(kind), " ")
	text, name, slides := strings.Cut(text, "| slider:")
	name = strings.TrimSpace(name)
	if slides {
		if _, err := slider.Named(name); err != nil {
			return nil, err
		}
	}
	data, err := c.read(ref.Path)
	if err != nil {
		return nil, err
	}
	if err := c.recorded(ref.Path); err != nil {
		return nil, err
	}
	drawn := strings.ReplaceAll(strings.TrimSuffix(path.Base(kind), drawingExt), " ", "-")
	d := &drawing{id: c.mark + elementID(ref.Path, drawn), caption: book.Typographic(strings.TrimSpace(text)), slider: name}
	if _, woven := c.woven[d.id]; woven {
		return nil, fmt.Errorf("the figure of %s is on the page a second time", ref.Path)
	}
	c.woven[d.id] = ref.Part
	d.draw = func(only ...figure.Variant) (string, error) {
		return c.draw(kind, data, svgID(d.id), ref.Text, only...)
	}
	d.svg, err = d.draw()
	return d, err
}

const drawingExt = ".svg"

// draw draws data as a kind of figure, or in the blanks of a file.
func (c *Chapter) draw(kind string, data []byte, id, alt string, only ...figure.Variant) (string, error) {
	if path.Ext(kind) != drawingExt {
		return figure.Render(kind, data, id, alt, only...)
	}
	if err := c.exists(kind); err != nil {
		return "", err
	}
	svg, err := c.read(kind)
	if err != nil {
		return "", err
	}
	return figure.Fill(c.path(kind), svg, data, id, alt, only...)
}

// svgID makes an id that needs no escaping in url(#…).
func svgID(id string) string {
	return strings.NewReplacer("/", "-", ":", "-", ".", "-").Replace(id)
}

func (d *drawing) html(p *page) string {
	svg := d.svg
	if only := p.volume.variants(); only != nil {
		svg, _ = d.draw(only...) // both could be drawn
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<figure class=drawing id=%s", quoted(d.id))
	if d.slider != "" {
		b.WriteString(" data-slider=" + d.slider)
	}
	fmt.Fprintf(&b, ">%s", svg)
	if d.caption != "" {
		b.WriteString("<figcaption>" + escaped(d.caption) + "</figcaption>")
	}
	b.WriteString("</figure>")
	return b.String()
}
