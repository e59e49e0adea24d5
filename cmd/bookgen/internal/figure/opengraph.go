package figure

import (
	"fmt"
	"strings"
)

// The words on the picture, at their places.
const (
	openGraphTitle = "Reconcile"
	openGraphWidth = 1200
)

var openGraphSubtitle = []string{"Building Kubernetes’ controllers,", "from a loop to a MySQL cluster"}

// openGraphColours stand in for those of a page, which this picture does not
// have.
const openGraphColours = "--ink:#221e19;--paper:#fcfaf4;--muted:#6b6458;--rule:#d9d2c4;" +
	"--accent:#a8371a;--serif:Newsreader,Georgia,'Liberation Serif',serif;" +
	"--mono:'IBM Plex Mono','Liberation Mono',monospace"

// openGraphStyle has what the loop needs beyond the style sheet of figures, and
// the style of the words beside it.
const openGraphStyle = `.fig text{font-family:var(--serif)}
.fig-loop text{font-size:22px}.fig-loop .f-m{font-family:var(--mono);font-size:15.5px}
.fig-loop .f-v,.fig-loop .f-d{fill:var(--ink)}.fig-loop .f-g{fill:none;stroke:var(--accent);stroke-linecap:round}
.fig .title{font-size:118px;font-weight:500;letter-spacing:-.02em}
.fig .subtitle{font-size:38px;font-style:italic;fill:var(--muted)}.fig .ground{fill:var(--paper)}`

// OpenGraph returns the picture that stands for the book in previews of links:
// title and loop, as an SVG file of 1200 × 630 that needs nothing else, ready
// to be made into pixels by a browser.
func OpenGraph() []byte {
	loop := &canvas{}
	drawLoop(loop)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="fig fig-loop" viewBox="0 0 %d 630" `+
		`width="%[1]d" height="630" role="img" style="%s">`, openGraphWidth, openGraphColours)
	fmt.Fprintf(&b, `<title>%s</title><style>%s%s</style>`, openGraphTitle, style, openGraphStyle)
	b.WriteString(`<rect class="ground" width="1200" height="630"/>`)
	fmt.Fprintf(&b, `<text class="title" x="84" y="302">%s</text>`, openGraphTitle)
	for i, text := range openGraphSubtitle {
		fmt.Fprintf(&b, `<text class="subtitle" x="90" y="%d">%s</text>`, 372+i*48, escape(text))
	}
	fmt.Fprintf(&b, `<g transform="translate(644 66) scale(1.14)">%s</g></svg>`, loop.body.String())
	return []byte(b.String())
}
