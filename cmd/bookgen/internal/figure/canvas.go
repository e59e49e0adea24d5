package figure

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A canvas collects the elements of one SVG drawing, in units that are pixels
// if the drawing has its natural width.
type canvas struct {
	width, height float64
	body          strings.Builder
	boxes         []box
	origin        point // of the groups that are open
}

// A box is the paper that one line of text covers.
type box struct {
	left, top, right, bottom float64
	text                     string
}

// An anchor says which end of a text its x is.
type anchor string

const (
	start  anchor = ""
	middle anchor = "middle"
	end    anchor = "end"
)

// writeTo writes the whole <svg> element.
func (c *canvas) writeTo(b *strings.Builder, class, id, title, alt string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="%s" viewBox="0 0 %s %s" role="img" `+
		`aria-labelledby="%s-t %[4]s-d"><title id="%[4]s-t">%[5]s</title><desc id="%[4]s-d">%[6]s</desc>`,
		class, num(c.width), num(c.height), escape(id), escape(title), escape(alt))
	b.WriteString(c.body.String())
	b.WriteString("</svg>")
}

// open starts a group; attrs come in pairs of name and value.
func (c *canvas) open(attrs ...string) {
	c.body.WriteString("<g")
	c.attrs(attrs)
	c.body.WriteString(">")
}

func (c *canvas) close() { c.body.WriteString("</g>") }

// element draws an element that has nothing inside; attrs are as for open.
func (c *canvas) element(name string, attrs ...string) {
	c.body.WriteString("<" + name)
	c.attrs(attrs)
	c.body.WriteString("/>")
}

func (c *canvas) path(class, d string, attrs ...string) {
	c.element("path", append([]string{"class", class, "d", d}, attrs...)...)
}

func (c *canvas) circle(class string, x, y, r float64) {
	c.element("circle", "class", class, "cx", some(x), "cy", some(y), "r", num(r))
}

func (c *canvas) rect(class string, x, y, width, height float64) {
	c.element("rect", "class", class, "x", some(x), "y", some(y), "width", num(width), "height", num(height))
}

// A placed line has a place: its baseline starts, or ends, there.
type placed struct {
	at   point
	line line
}

// text sets lines below each other, the first one's baseline at y. The class is
// that of the whole; a span that has another one names it.
func (c *canvas) text(x, y float64, a anchor, class string, lines ...line) {
	var all []placed
	for i, l := range lines {
		all = append(all, placed{point{x, y + float64(i)*leading}, l})
	}
	c.texts(a, class, all...)
}

// texts sets lines wherever they are placed, as one element.
func (c *canvas) texts(a anchor, class string, all ...placed) {
	if len(all) == 0 {
		return
	}
	first := all[0].at
	c.body.WriteString("<text")
	c.attrs([]string{"class", class, "x", some(first.x), "y", num(first.y), "text-anchor", string(a)})
	c.body.WriteString(">")
	for i, p := range all {
		c.boxes = append(c.boxes, p.line.box(c.origin.x+p.at.x, c.origin.y+p.at.y, a))
		for j, s := range p.line {
			var move []string
			if i > 0 && j == 0 {
				move = []string{"x", num(p.at.x), "y", num(p.at.y)}
				if p.at.y == all[i-1].at.y {
					move = move[:2]
				}
			}
			c.span(s, move)
		}
	}
	c.body.WriteString("</text>")
}

// span writes s, and its place if that is not the end of the last one.
func (c *canvas) span(s span, move []string) {
	if len(move) == 0 && s.font.class == "" {
		c.body.WriteString(escape(s.text))
		return
	}
	c.body.WriteString("<tspan")
	c.attrs(append(move, "class", s.font.class))
	c.body.WriteString(">" + escape(s.text) + "</tspan>")
}

// attrs writes pairs of name and value, without those that have no value.
func (c *canvas) attrs(pairs []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&c.body, ` %s="%s"`, pairs[i], escape(pairs[i+1]))
		}
	}
}

// clear returns an error if one of the texts from the given one on leaves the
// paper, or touches one before it.
func (c *canvas) clear(first int) error {
	for i, a := range c.boxes[first:] {
		if a.left < -0.5 || a.top < -0.5 || a.right > c.width+0.5 || a.bottom > c.height+0.5 {
			return fmt.Errorf("%q leaves the paper of %v × %v", a.text, c.width, c.height)
		}
		for _, b := range c.boxes[:first+i] {
			if a.right > b.left && b.right > a.left && a.bottom > b.top && b.bottom > a.top {
				return fmt.Errorf("%q touches %q", a.text, b.text)
			}
		}
	}
	return nil
}

// num writes a coordinate: one decimal is a tenth of a pixel, and enough.
func num(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		return "0" // never "-0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// A point is a place on the paper.
type point struct{ x, y float64 }

// pair writes a point for path data.
func pair(p point) string { return num(p.x) + " " + num(p.y) }

// some writes a coordinate for an attribute whose absence means 0.
func some(v float64) string {
	if text := num(v); text != "0" {
		return text
	}
	return ""
}

// escape makes text fit for XML, as an attribute or between tags.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
