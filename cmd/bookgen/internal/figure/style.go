package figure

import _ "embed"

//go:embed style.css
var style string

// Style returns the style sheet of all figures; a page with figures includes it
// once. It needs nothing, but takes these custom properties from the page if
// they are set there: --ink, --paper, --muted, --rule, --accent, --accent-2,
// --accent-3, --lost and --mono (a font family). Roman and italic text is set in the
// font that surrounds the figure.
//
// Its classes, all beginning with f-:
//
//	f-0      a group on paper: other things may stand on a band
//	f-a      arrows
//	f-b      a band, or the inside of a box
//	f-c      a text that covers the hairlines behind it
//	f-d      a Pod that was told to end
//	f-f      the bar that stops a line
//	f-g      a Pod that starts, and the cross where one is gone
//	f-h      arrow heads
//	f-i      an annotation, in italics
//	f-j      the box of a station that is built just now
//	f-k      a count that matters
//	f-l      a hairline: lanes, grids, axes
//	f-m      mono: names of objects
//	f-n      the number in a mark
//	f-o      a mark; f-x with it: this step made a new version
//	f-q      a dotted line: time that passes, a label's leader
//	f-t      a lane's tag: a short, thick line
//	f-u      text of secondary weight
//	f-p      the marks of a series' points
//	f-r      a Pod that is ready
//	f-s0…3   a series: its line, its marks, its label
//	f-s4     what is lost, failed or wrong
//	f-v      the other count
//	f-y      an axis
//	f-z      an instant, seen while a figure is gone through
func Style() string { return style }
