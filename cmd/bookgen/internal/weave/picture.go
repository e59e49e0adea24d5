package weave

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path"
	"strconv"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/snippet"
)

// picture is a screenshot, and what the same place looks like by dark.
type picture struct {
	name, alt, caption string
	width, height      int // in a page's pixels
	light, dark        []byte

	record []byte // that can be looked into below it; optional
	stem   string // the record's name
	at     int    // the step at which it opens
}

const (
	pictureExt = ".png"
	lookForm   = "| look:"
	// dense is how many pixels of a screenshot are one of a page.
	dense = 2
)

// picture resolves a screenshot: its title is the caption. At the end may stand
// `| look: testdata/record.json 12`: the record that it shows, and the step at which
// a reader sees it first.
func (c *Chapter) picture(ref book.Reference) (element, error) {
	p := &picture{name: path.Base(ref.Path), alt: ref.Text}
	if strings.TrimSpace(ref.Text) == "" {
		return nil, fmt.Errorf("the picture %s has no text alternative", snippet.Address(ref))
	}
	var err error
	if p.light, err = c.screenshot(p, ref.Path); err != nil {
		return nil, err
	}
	wide, high := p.width, p.height
	if p.dark, err = c.screenshot(p, darkName(ref.Path)); err != nil {
		return nil, err
	}
	if p.width != wide || p.height != high {
		return nil, fmt.Errorf("%s is not of the size of %s", darkName(ref.Path), ref.Path)
	}
	caption, look, looks := strings.Cut(ref.Title, lookForm)
	p.caption = book.Typographic(strings.TrimSpace(caption))
	if looks {
		err = c.lookInto(p, look)
	}
	return p, err
}

// darkName returns the name of a picture's other half.
func darkName(name string) string { return strings.TrimSuffix(name, pictureExt) + ".dark" + pictureExt }

// screenshot reads a file, and notes its size.
func (c *Chapter) screenshot(p *picture, name string) ([]byte, error) {
	if err := c.Exists(name); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(c.Path(name))
	if err != nil {
		return nil, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s is no picture: %w", name, err)
	}
	p.width, p.height = size.Width/dense, size.Height/dense
	return content, nil
}

// lookInto reads the record that is looked into below a picture.
func (c *Chapter) lookInto(p *picture, form string) (err error) {
	name, step, _ := strings.Cut(strings.TrimSpace(form), " ")
	if err := c.recorded(name); err != nil {
		return err
	}
	if p.record, err = c.Read(name); err != nil {
		return err
	}
	var record struct {
		Entries []struct{ N int }
	}
	if err := json.Unmarshal(p.record, &record); err != nil {
		return fmt.Errorf("%s is no record: %w", name, err)
	}
	p.stem = strings.TrimSuffix(path.Base(name), path.Ext(name))
	p.at, err = strconv.Atoi(step)
	if n := len(record.Entries); err != nil || n == 0 || p.at < 1 || p.at > record.Entries[n-1].N {
		return fmt.Errorf("%s has no step %q: it is looked into as %q", name, step, "look: "+name+" 12")
	}
	return nil
}

// nodes gives the site the files as well. Of the two, a page fetches what it shows.
func (p *picture) nodes(on *page) node.List {
	figure := node.New("figure", node.Class("drawing shot"))
	if p.record != nil {
		node.Add(figure, node.ID("look"), node.Attr("data-look", on.record(p.stem, p.record)), node.Attr("data-at", fmt.Sprint(p.at)))
	}
	for _, half := range []struct {
		class, name string
		content     []byte
	}{{"by-light", p.name, p.light}, {"by-dark", darkName(p.name), p.dark}} {
		node.Add(figure, node.New("img", node.Class(half.class), node.Attr("loading", "lazy"),
			node.Attr("width", fmt.Sprint(p.width)), node.Attr("height", fmt.Sprint(p.height)),
			node.Attr("alt", p.alt), node.Attr("src", on.volume.asset(half.name, half.content))))
	}
	if p.caption != "" {
		node.Add(figure, node.New("figcaption", p.caption))
	}
	return node.List{figure}
}

// asset gives the site a file, and returns its address.
func (v *volume) asset(name string, content []byte) string {
	if v.out.Texts == nil {
		v.out.Texts = map[string][]byte{}
	}
	name = "assets/" + name
	v.out.Texts[name] = content
	return name
}

// record gives the site a record that a page looks into, and returns its name.
func (p *page) record(stem string, record []byte) string {
	script := fmt.Sprintf("(globalThis.lookRecords ??= {})[%q] = %s;\n", stem, bytes.TrimSpace(record))
	p.volume.asset("look-"+stem+".js", []byte(script))
	return stem
}

func (*picture) measure(m *measuring, _ int) { m.look() }
