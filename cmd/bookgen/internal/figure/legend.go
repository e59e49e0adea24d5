package figure

const legendLine = 21

// A sample is an entry of a legend: a short drawing and its meaning.
type sample struct {
	means string
	draw  func(x, y float64) // on 26 units from x on, around y
}

// samples returns the legend of lanes. A bar that every version has is drawn in
// no version's colour.
func (s *swim) samples() []sample {
	const any = "f-s3"
	phase := func(look, is string) func(x, y float64) {
		return func(x, y float64) { s.bar(look, is, x, x+26, y) }
	}
	all := []sample{{"starting", phase(any, "running")}}
	for _, version := range s.versions {
		means := version + " ready"
		if len(s.versions) == 1 {
			means = "ready"
		}
		all = append(all, sample{means, phase(s.look(version), "ready")})
	}
	stroke := func(class string) func(x, y float64) {
		return func(x, y float64) { s.path(class, "M"+num(x)+" "+num(y)+"h26") }
	}
	return append(all,
		sample{"told to end", phase(any, "ending")},
		sample{"not told to end", stroke("f-v")},
		sample{"available", stroke("f-s2 f-k")})
}

// drawLegend draws samples, as many on a line as fit, and returns where they
// end.
func (c *canvas) drawLegend(samples []sample) float64 {
	const sampleWidth, gap = 26 + 6, 18
	x, y := 0.0, 10.0
	for _, one := range samples {
		label := line{{one.means, roman}}
		if x > 0 && x+sampleWidth+label.width() > c.width {
			x, y = 0, y+legendLine
		}
		one.draw(x, y)
		c.text(x+sampleWidth, y+4.5, start, "f-u", label)
		x += sampleWidth + label.width() + gap
	}
	return y + 10
}
