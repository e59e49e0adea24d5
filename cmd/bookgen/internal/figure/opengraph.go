package figure

import (
	"fmt"
	"strings"
)

// openGraphColours stand in for those of a page, which this picture does not
// have.
const openGraphColours = "--ink:#221e19;--paper:#fcfaf4;--muted:#6b6458;--rule:#d9d2c4;" +
	"--accent:#a8371a;--serif:Newsreader,Georgia,'Liberation Serif',serif;" +
	"--mono:'IBM Plex Mono','Liberation Mono',monospace"

// openGraphStyle has what the loop needs beyond the style sheet of figures.
const openGraphStyle = `.fig text{font-family:var(--serif)}
.fig-loop text{font-size:22px}.fig-loop .f-m{font-family:var(--mono);font-size:15.5px}
.fig-loop .f-v,.fig-loop .f-d{fill:var(--ink)}.fig-loop .f-g{fill:none;stroke:var(--accent);stroke-linecap:round}
.fig .ground{fill:var(--paper)}`

// OpenGraph returns the picture that stands for a page in previews of links, without
// its words: the loop, at the right of an SVG file of 1200 × 630.
func OpenGraph() []byte {
	loop := &canvas{}
	drawLoop(loop)
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" class="fig fig-loop" viewBox="0 0 1200 630" ` +
		`width="1200" height="630" role="img" style="` + openGraphColours + `">`)
	b.WriteString(`<title>The control loop</title><style>` + style + openGraphStyle + `</style>`)
	b.WriteString(`<rect class="ground" width="1200" height="630"/>`)
	fmt.Fprintf(&b, `<g transform="translate(644 66) scale(1.14)">%s</g></svg>`, loop.body.String())
	return []byte(b.String())
}
