package browser

import (
	"path"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// cutLines lists the lines of the schedule that its lower edge goes through.
const cutLines = `(() => {
	const edge = document.querySelector(".schedule").getBoundingClientRect().bottom;
	return [...document.querySelectorAll(".schedule li")]
		.filter((line) => line.getBoundingClientRect().top < edge - 1 && line.getBoundingClientRect().bottom > edge + 1)
		.map((line) => line.textContent);
})()`

func TestNoLineOfTheScheduleOfWhoPresentsIsCut(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, deck := range p.decks(t) {
			tb := newTab(t, 1440)
			for _, size := range [][2]int64{{1440, 900}, {1280, 720}, {1024, 768}} {
				tb.screen(size[0], size[1])
				tb.open(p.url + path.Dir(deck) + "/presenter.html")
				tb.wait(`!!document.querySelector("article.now")`)
				assert.Empty(t, ask[[]string](tb, cutLines), "%s at %d×%d", deck, size[0], size[1])
				if size[1] == 900 {
					inSight := ask[bool](tb, `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector(".schedule"))`)
					assert.True(t, inSight, "all of the schedule of %s", deck)
				}
				tb.press(kb.End)
				tb.wait(`document.querySelector(".schedule li:last-child [aria-current]") !== null`)
				assert.Empty(t, ask[[]string](tb, cutLines), "%s at its end at %d×%d", deck, size[0], size[1])
			}
		}
	})
}
