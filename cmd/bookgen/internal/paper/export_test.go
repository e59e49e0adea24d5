package paper

// PagesOf returns the page on which each element of a PDF lies, by its id.
var PagesOf = pagesOf

// FoldSign stands before what goes on of a line.
const FoldSign = foldSign

// Column returns where a page of some width has its text, in points from the left; full,
// if it has no margin for notes.
func (s Size) Column(width float64, page int, full bool) (left, right float64) {
	l := sheets[s]
	inner, outer := l.Inner, l.Outer
	if !full {
		outer += l.Notes + l.Gap
	}
	if page%2 == 0 {
		inner, outer = outer, inner
	}
	return inner / point, width - outer/point
}

// Fold breaks the lines of a strip.
var Fold = fold
