package browser

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// claim is a statement that holds for a page at some widths of the window.
type claim struct {
	says     string
	widths   []int64
	parts    bool   // of chapters' parts only
	unfolded bool   // of the page with everything that is folded open
	against  string // a list, in JavaScript, of what speaks against it
}

// claims are in the files of their subjects.
var claims = []claim{
	noWiderThanTheWindow, nothingIsTooSmallToRead,
	notesStandFree, notesStandBesideTheirReferences,
	transcriptsFit, commentsFitOnAPhone, tablesFitOnAPhone,
	noButtonLiesOnText, questionsAreWhole,
	anInitialHasItsThreeLines, turnsStandInARow, thePageBeginsInTheWindow,
	canBeWalkedWithTheTabKey, isOneSitting,
}

// widths are those of all claims, in the order in which a page is looked at: a
// window that was never resized comes first.
var widths = []int64{1440, 1920, 1100, 820, 390, 320}

// TestPagesKeepTheirClaims opens each page once, and asks it everything at one
// width before it goes on to the next.
func TestPagesKeepTheirClaims(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		parts := p.parts(t)
		for _, page := range p.pages(t) {
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, widths[0])
				tb.open(p.url + page)
				part := slices.Contains(parts, page)
				tb.assertClaims(part, false)
				tb.unfold()
				tb.assertClaims(part, true)
			})
		}
	})
}

func (tb *tab) assertClaims(part, unfolded bool) {
	tb.t.Helper()
	for _, width := range widths {
		for _, c := range claims {
			if c.unfolded != unfolded || c.parts && !part || !slices.Contains(c.widths, width) {
				continue
			}
			if width != tb.width {
				tb.resize(width)
			}
			assert.Empty(tb.t, ask[[]string](tb, c.against), "at %d: %s", width, c.says)
		}
	}
}
