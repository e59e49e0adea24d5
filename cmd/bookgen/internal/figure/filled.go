package figure

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var blank = regexp.MustCompile(`\{[^{}]*\}`)

// filled returns text with the run's values in its blanks.
func (f *filler) filled(e *element, text string) string {
	return blank.ReplaceAllStringFunc(text, func(path string) string {
		path = path[1 : len(path)-1]
		if place, ok := strings.CutPrefix(path, "x "); ok {
			return f.places(e, place)
		}
		all := f.find(path)
		if len(all) != 1 || all[0].text() == "" {
			f.fail(e, "the run has nothing for {%s}", path)
			return ""
		}
		return all[0].text()
	})
}

// find returns the run's values at a path.
func (f *filler) find(path string) []found {
	if strings.HasPrefix(path, ".") {
		path = f.at + path
	}
	return f.run.find(path)
}

// number returns a coordinate, 0 if it is missing.
func (f *filler) number(e *element, name string) float64 {
	text := f.filled(e, e.attr(name))
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && text != "" {
		f.fail(e, "%s=%q is no number", name, text)
	}
	return v
}

// places returns the place of an amount, or of the one at a path: "20s",
// "nodes.2.sum". With a pattern behind the path, "beats.*.at M% 20v-10", it
// returns the pattern for each amount, with its place in the stead of the %,
// and leaves out amounts that the scale leaves out.
func (f *filler) places(e *element, text string) (all string) {
	path, pattern, several := strings.Cut(text, " ")
	values := []found{{}}
	if v, ok := amount(path); ok {
		values[0].value = v
	} else {
		values = f.find(path)
	}
	if !several && len(values) != 1 {
		f.fail(e, "the run has %d values for {x %s}", len(values), path)
	}
	for _, one := range values {
		v, isNumber := one.value.(float64)
		x, found := f.place(v)
		switch {
		case !isNumber || !found && !(several && f.within(v)):
			f.fail(e, "%s is %q, and that has no place on the scale", path, one.text())
		case several && found:
			all += strings.ReplaceAll(pattern, "%", num(x))
		case found:
			all += num(x)
		}
	}
	return all
}

// place returns the place of a value on the scale's pieces.
func (f *filler) place(v float64) (x float64, ok bool) {
	for _, piece := range f.scale {
		if piece.low <= v && v <= piece.high {
			return piece.at(v), true
		}
	}
	return 0, false
}

// within reports whether a value is between the scale's ends.
func (f *filler) within(v float64) bool {
	return len(f.scale) > 0 && f.scale[0].low <= v && v <= f.scale[len(f.scale)-1].high
}

// readScale reads the scale that e has, if it has one: pieces of two amounts,
// each with its x behind it.
func (f *filler) readScale(e *element) {
	words := strings.Fields(strings.ReplaceAll(e.attr("data-x"), ",", " "))
	if len(words) == 0 {
		return
	}
	f.scale = nil
	var v [4]float64
	for i, word := range words {
		known := false
		if v[i%4], known = amount(word); !known || len(words)%4 != 0 {
			f.fail(e, "data-x=%q is not LOW X HIGH X, and so on", e.attr("data-x"))
			return
		}
		if i%4 == 3 {
			f.scale = append(f.scale, scale{low: v[0], from: v[1], high: v[2], to: v[3]})
		}
	}
}

// amount reads a number, or a time in nanoseconds: "20", "2m20s".
func amount(text string) (v float64, ok bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, true
	}
	d, err := time.ParseDuration(text)
	return float64(d), err == nil
}
