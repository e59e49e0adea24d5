package weave

import (
	"fmt"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/cmd/bookgen/internal/snippet"
)

// drawing is a figure made from a recorded run.
type drawing struct {
	id      string
	svg     string
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
		return nil, fmt.Errorf("the picture %s has no text alternative", snippet.Address(ref))
	}
	if err := c.Exists(ref.Path); err != nil {
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
	data, err := c.Read(ref.Path)
	if err != nil {
		return nil, err
	}
	if err := c.recorded(ref.Path); err != nil {
		return nil, err
	}
	drawn := strings.ReplaceAll(strings.TrimSuffix(path.Base(kind), drawingExt), " ", "-")
	d := &drawing{id: c.mark + snippet.ElementID(ref.Path, drawn), caption: book.Typographic(strings.TrimSpace(text)), slider: name}
	if _, woven := c.Woven[d.id]; woven {
		return nil, fmt.Errorf("the figure of %s is on the page a second time", ref.Path)
	}
	c.Woven[d.id] = ref.Part
	d.svg, err = c.draw(kind, data, svgID(d.id), ref.Text)
	return d, err
}

const drawingExt = ".svg"

// draw draws data as a kind of figure, or in the blanks of a file.
func (c *Chapter) draw(kind string, data []byte, id, alt string) (string, error) {
	if path.Ext(kind) != drawingExt {
		return figure.Render(kind, data, id, alt)
	}
	if err := c.Exists(kind); err != nil {
		return "", err
	}
	svg, err := c.Read(kind)
	if err != nil {
		return "", err
	}
	return figure.Fill(c.Path(kind), svg, data, id, alt)
}

// svgID makes an id that needs no escaping in url(#…).
func svgID(id string) string {
	return strings.NewReplacer("/", "-", ":", "-", ".", "-").Replace(id)
}

func (d *drawing) nodes(*page) node.List {
	figure := node.New("figure", node.Class("drawing"), node.ID(d.id), node.Attr("data-slider", d.slider), node.Parse(d.svg))
	if d.caption != "" {
		node.Add(figure, node.New("figcaption", d.caption))
	}
	return node.List{figure}
}

// show returns no lines: a drawing is as large as it is.
func (d *drawing) show(show *site.Show) [][]string {
	show.Kind, show.Title = "figure", d.caption
	return nil
}

func (*drawing) count(c *Counts) { c.Figures++ }

func (*drawing) measure(m *measuring, _ int) { m.look() }

func (*drawing) hasHappened() {}
