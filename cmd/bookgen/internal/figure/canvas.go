package figure

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A canvas collects the elements of one SVG drawing, in units that are pixels
// where the drawing has its natural width.
type canvas struct {
	width, height float64
	body          strings.Builder
	boxes         []box
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
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %[4]s-d">`,
		class, num(c.width), num(c.height), escape(id))
	fmt.Fprintf(b, `<title id="%s-t">%s</title><desc id="%[1]s-d">%s</desc>`,
		escape(id), escape(title), escape(alt))
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

// path draws path data d, as [pen] writes them.
func (c *canvas) path(class, d string, attrs ...string) {
	c.body.WriteString("<path")
	c.attrs(append([]string{"class", class, "d", d}, attrs...))
	c.body.WriteString("/>")
}

func (c *canvas) circle(class string, x, y, r float64) {
	c.body.WriteString("<circle")
	c.attrs([]string{"class", class, "cx", num(x), "cy", num(y), "r", num(r)})
	c.body.WriteString("/>")
}

func (c *canvas) rect(class string, x, y, width, height, radius float64) {
	c.body.WriteString("<rect")
	c.attrs([]string{"class", class, "x", num(x), "y", num(y),
		"width", num(width), "height", num(height), "rx", num(radius)})
	c.body.WriteString("/>")
}

// text sets lines below each other, the first one's baseline at y. The class
// of the first span is the text's own; other spans state where they differ.
func (c *canvas) text(x, y float64, a anchor, class string, lines ...line) {
	if len(lines) == 0 {
		return
	}
	c.body.WriteString("<text")
	c.attrs([]string{"x", num(x), "y", num(y), "text-anchor", string(a), "class", class})
	c.body.WriteString(">")
	for i, l := range lines {
		c.boxes = append(c.boxes, l.box(x, y+float64(i)*leading, a))
		for j, s := range l {
			c.span(s, i > 0 && j == 0, x)
		}
	}
	c.body.WriteString("</text>")
}

func (c *canvas) span(s span, newLine bool, x float64) {
	if !newLine && s.font.class == "" {
		c.body.WriteString(escape(s.text))
		return
	}
	c.body.WriteString("<tspan")
	if newLine {
		c.attrs([]string{"x", num(x), "dy", num(leading)})
	}
	c.attrs([]string{"class", s.font.class})
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

// num writes a coordinate: one decimal is a tenth of a pixel, and enough.
func num(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		return "0" // never "-0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// escape makes text fit for XML, as an attribute or between tags.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
