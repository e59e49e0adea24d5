package paper_test

import (
	"flag"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/slow"
)

var size = flag.String("paper", string(paper.A4), "what the whole book is printed on")

// rooms are the columns that a strip has, beside the margin, over it, and in one
// of two columns; and the size of its type.
var rooms = map[string]struct {
	narrow, wide, half int
	size               float64
}{"a4": {84, 120, 64, 6.75}, "letter": {84, 122, 65, 6.8}, "trade": {84, 113, 60, 6.2}}

func TestTheBookFitsItsPaper(t *testing.T) {
	needsAPrinter(t)
	slow.Deep(t, "books", "it prints the whole book, for a minute and a half")
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	b, err := build.NewPress(build.Options{Root: "../../../..", Cache: cache}).Leaved(t.Context())
	require.NoError(t, err)
	s := printed(t, b, paper.Size(*size))
	for name, claim := range map[string]func(*testing.T, *sheaf){
		"A4 has at most 420 pages": func(t *testing.T, s *sheaf) {
			assert.True(t, *size != "a4" || len(s.Pages) <= 420, "it has %d", len(s.Pages))
		},
		"parts begin on right-hand pages":         partsBeginOnTheRight,
		"nothing makes the browser shrink it":     typeHasItsSize,
		"words keep to the sheet and apart":       wordsKeepApart,
		"headings have text below":                headingsHaveText,
		"no table and no figure is torn":          nothingIsTorn,
		"no page in the middle is nearly empty":   pagesAreFull,
		"transcripts and code keep their columns": func(t *testing.T, s *sheaf) { stripsKeepColumns(t, s, site.Leaves(b)) },
	} {
		t.Run(name, func(t *testing.T) { claim(t, s) })
	}
}

// dense is the size of the type of very wide strips, beside that of others.
const dense = .88

// typeHasItsSize measures a word of the transcripts: Chromium shrinks a book in which
// anything is wider than the sheet. A letter of its face is .6 wide.
func typeHasItsSize(t *testing.T, s *sheaf) {
	measured := 0
	for _, p := range s.Pages {
		for _, l := range lines(p.Words) {
			if len(l) > 1 && l[0].Text == "$" && l[1].Text == "kubectl" {
				wide := rooms[*size].size * .6 * 7
				if is := l[1].Right - l[1].Left; math.Abs(is-wide) < .3 {
					measured++
				} else {
					assert.InDelta(t, dense*wide, is, .3)
				}
			}
		}
	}
	assert.Greater(t, measured, 250)
}

// wordsKeepApart holds words to the sheet, less 10 mm at its sides and 5 above and
// below, and off each other. Of a word the middle counts, where its letters are.
func wordsKeepApart(t *testing.T, s *sheaf) {
	const side, edge = 28, 14
	over := func(a, b word) bool {
		high, low := (a.Bottom-a.Top)/4, (b.Bottom-b.Top)/4
		return a.Left+1 < b.Right-1 && b.Left+1 < a.Right-1 && a.Top+high < b.Bottom-low && b.Top+low < a.Bottom-high
	}
	for i, p := range s.Pages {
		for n, w := range p.Words {
			if w.Left < side || w.Right > p.Width-side || w.Top < edge || w.Bottom > p.Height-edge {
				t.Errorf("page %d: %q stands in the sheet's margin", i+1, w.Text)
			}
			for _, other := range p.Words[:n] {
				if over(w, other) {
					t.Errorf("page %d: %q stands on %q", i+1, w.Text, other.Text)
				}
			}
		}
	}
}

// headingsHaveText looks below each heading, in its column, for two more lines; in
// the index for one, as a letter may have one entry alone.
func headingsHaveText(t *testing.T, s *sheaf) {
	marks := s.marks()
	assert.Greater(t, len(marks), 500)
	for _, m := range marks {
		want := 2
		if m.page >= s.places["index"].page {
			want = 1
		}
		text, left := "", -1
		below := lines(s.column(m))
		for i, l := range below {
			if text += l.text(); strings.HasPrefix(text, m.title) {
				left = len(below) - i - 1
				break
			}
		}
		assert.GreaterOrEqual(t, left, want, "page %d: lines below %s (-1: it is not where its bookmark leads to)", m.page, m.title)
	}
}

// column returns the words from a mark on, down its column: of the text beside the
// margin, of two at the end, or of four in the index. A title stands over columns.
func (s *sheaf) column(m mark) []word {
	p := s.Pages[m.page-1]
	below := slices.DeleteFunc(slices.Clone(p.Words), func(w word) bool { return w.Bottom < m.top || w.Left < m.left-6 })
	first := lines(below)[0][0]
	right := p.Width
	switch {
	case first.Bottom-first.Top > 24:
	case m.page < s.places["part-exercise-"].page:
		right *= .72
	case m.page >= s.places["index"].page:
		right = m.left + p.Width/5
	case m.left < p.Width/2:
		right /= 2
	}
	return slices.DeleteFunc(below, func(w word) bool { return w.Left > right })
}

// nothingIsTorn asks the PDF's tags where everything lies. Tables of more than
// twenty rows may go on overleaf between rows, with their head.
func nothingIsTorn(t *testing.T, s *sheaf) {
	found := map[string]int{}
	for _, e := range s.elements() {
		isTable, isRow := e.kind == "Table" && e.has["TR"] <= 20, e.kind == "TR" && e.has["TH"] == 0
		isFigure := e.kind == "Figure" && e.has["picture"] > 0
		if isTable || isRow || isFigure {
			found[e.kind]++
			assert.Len(t, e.pages, 1, "the pages of a %s with %v", e.kind, e.has)
		}
	}
	for kind, least := range map[string]int{"Table": 40, "TR": 350, "Figure": 40} {
		assert.GreaterOrEqual(t, found[kind], least, "how many there are of %s", kind)
	}
}

// pagesAreFull counts lines, where a part of the book neither ends nor begins.
func pagesAreFull(t *testing.T, s *sheaf) {
	ends := map[int]bool{1: true, 2: true, len(s.Pages): true}
	for id, place := range s.places {
		if strings.HasPrefix(id, "part-") || id == "words" || id == "index" {
			ends[place.page-1], ends[place.page-2] = true, true // one may be left empty
		}
	}
	for i, p := range s.Pages {
		if n := len(lines(p.Words)) - 1; n < 12 && !ends[i+1] {
			t.Errorf("page %d has %d lines", i+1, n)
		}
	}
}

// stripsKeepColumns looks for each line of a transcript and of code, leaf by leaf, in
// their order.
func stripsKeepColumns(t *testing.T, s *sheaf, leaves []site.Leaf) {
	at, held := site.AnchorsOf(leaves, "contents", "index"), 0
	ends := func(n int) int {
		if n == len(leaves) {
			return s.places["words"].page
		}
		return s.places[at[leaves[n].Path]].page
	}
	for n, leaf := range leaves {
		on := s.linesOf(max(ends(n), s.places["part-preface-"].page), ends(n+1), leaf.Kind == site.Exercise)
		for _, strip := range strips(leaf) {
			for text := range strings.Lines(strip.text) {
				if tight(text) == "" || strip.lacksRoom(text) && !strip.isHung {
					continue
				}
				i := strip.find(text, on)
				if i < 0 {
					t.Errorf("%s: not as it should be on the pages from %d on: %s", leaf.Path, ends(n), text)
					continue
				}
				on, held = on[i:], held+1
			}
		}
	}
	assert.Greater(t, held, 9000, "lines that keep their columns")
}

// A strip is what stands in a leaf line by line.
type strip struct {
	text   string
	room   int
	isHung bool // a line that has no room goes on below itself, set in
}

func (s strip) lacksRoom(text string) bool {
	return utf8.RuneCountInString(strings.TrimRight(strings.ReplaceAll(text, "\t", "    "), "\n")) > s.room
}

// find returns which of the lines has the text or, if it lacks room, begins it; or -1.
func (s strip) find(text string, on []line) int {
	want := tight(text)
	for i, l := range on {
		if strings.Contains(l.text(), want) || s.lacksRoom(text) && goesOn(want, on[i:]) {
			return i
		}
	}
	return -1
}

// goesOn reports whether a text stands on lines from the first on, the others set in.
func goesOn(text string, on []line) bool {
	for i, l := range on {
		rest, ok := strings.CutPrefix(text, l.text())
		if !ok || i > 0 && l[0].Left < on[0][0].Left+5 {
			return false
		}
		if rest == "" {
			return true
		}
		text = rest
	}
	return false
}

// linesOf returns the lines on pages, column by column if there are two.
func (s *sheaf) linesOf(first, last int, two bool) []line {
	var all []line
	for _, p := range s.Pages[first-1 : last] {
		var columns [2][]word
		for _, w := range p.Words {
			n := 0
			if two && w.Left > p.Width/2 {
				n = 1
			}
			columns[n] = append(columns[n], w)
		}
		all = slices.Concat(all, lines(columns[0]), lines(columns[1]))
	}
	return all
}

// strips returns those of a leaf that are printed.
func strips(leaf site.Leaf) (all []strip) {
	for pre := range leaf.Body.All() {
		within := within(pre)
		is := func(class string) bool { return slices.Contains(within, class) }
		if pre.Data != "pre" || is("head") || is("try") || is("wrong") && is("id") { // an answer has no id
			continue
		}
		room := rooms[*size].narrow
		if leaf.Kind == site.Exercise {
			room = rooms[*size].half
		} else if is("wide") {
			room = rooms[*size].wide
			if is("dense") {
				room = int(float64(room) / dense)
			}
		}
		all = append(all, strip{node.List{pre}.Text(), room, is("output") && leaf.Kind != site.Exercise})
	}
	return all
}

// within returns the classes of what an element is in, and "id" if one of them is
// folded and has one.
func within(n *html.Node) (all []string) {
	for around := range n.Ancestors() {
		for _, a := range around.Attr {
			if a.Key == "class" {
				all = append(all, strings.Fields(a.Val)...)
			} else if around.Data == "details" {
				all = append(all, a.Key)
			}
		}
	}
	return all
}
