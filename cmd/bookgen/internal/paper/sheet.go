package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Size is a size of paper. The zero value is no size.
type Size string

// The sizes that a book is printed on.
const (
	A4     Size = "a4"
	Letter Size = "letter"
	Trade  Size = "trade" // 7 by 9.25 inches, as many technical books are
)

// A layout is how a page is laid out, in millimetres and points: a column of text, and on
// the outside of it, behind a gap, a margin for notes. All code has one size, codeSize.
type layout struct {
	Size                      string
	Top, Bottom, Inner, Outer float64
	Notes, Gap                float64
	Type                      float64
	Room, Half                int // columns of code, in the text and in one of two columns of it
}

const codeSize = 7.5

// point is one in millimetres.
const point = 25.4 / 72

var sheets = map[Size]layout{
	A4:     {"210mm 297mm", 16, 12, 20, 12, 36, 5, 9.3, 84, 53},
	Letter: {"8.5in 11in", 15, 12, 21, 13, 38, 5, 9.4, 85, 54},
	Trade:  {"7in 9.25in", 14, 11, 16, 10.5, 27, 4, 8.9, 74, 45},
}

// margins returns the margins of right-hand and of left-hand pages. Chromium prints nothing
// beside the area of a page. So that of a text reaches as far inwards as it does
// outwards, over the edge of the sheet, and its column stands in the middle.
func (l layout) margins(full bool) (right, left string) {
	inner := l.Inner - l.Notes - l.Gap
	if full {
		inner = l.Inner
	}
	return fmt.Sprintf("%gmm %gmm %gmm %gmm", l.Top, l.Outer, l.Bottom, inner), fmt.Sprintf("%gmm %gmm %gmm %gmm", l.Top, inner, l.Bottom, l.Outer)
}

// Set implements pflag.Value.
func (s *Size) Set(name string) error {
	if _, ok := sheets[Size(name)]; !ok {
		return fmt.Errorf("no paper is called %q: there are %s", name, sizes())
	}
	*s = Size(name)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string { return string(*s) }

// Type implements pflag.Value.
func (s *Size) Type() string { return strings.ReplaceAll(sizes(), ", ", "|") }

func sizes() string {
	var names []string
	for _, size := range slices.Sorted(maps.Keys(sheets)) {
		names = append(names, string(size))
	}
	return strings.Join(names, ", ")
}
