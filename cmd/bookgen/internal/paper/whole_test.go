package paper_test

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
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

func TestTheBookFitsItsPaper(t *testing.T) {
	needsAPrinter(t)
	slow.Deep(t, "books", "it prints the whole book, for a minute and a half")
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	b, err := build.NewPress(build.Options{Root: "../../../..", Cache: cache}).Leaved(t.Context())
	require.NoError(t, err)
	s := printed(t, b, paper.Size(*size))
	for name, claim := range map[string]func(*testing.T, *sheaf){
		"A4 has at most 497 pages": func(t *testing.T, s *sheaf) {
			assert.True(t, *size != "a4" || len(s.Pages) <= 497, "it has %d", len(s.Pages))
		},
		"the text stands inside, notes outside":   sidesMirror,
		"a note is whole, on the page that calls": func(t *testing.T, s *sheaf) { notesStandBeside(t, s, site.Leaves(b)) },
		"every font is in it, as a font":          fontsAreFonts,
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
	t.Logf("%d pages of %s", len(s.Pages), *size)
}

// typeHasItsSize measures a word of the transcripts: Chromium shrinks a book in which
// anything is wider than the sheet. A letter of its face is .6 wide.
func typeHasItsSize(t *testing.T, s *sheaf) {
	measured := 0
	for _, p := range s.Pages {
		for _, l := range lines(p.Words) {
			if len(l) > 1 && l[0].Text == "$" && l[1].Text == "kubectl" {
				assert.InDelta(t, 7.5*.6*7, l[1].Right-l[1].Left, .3)
				measured++
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
		_, right = paper.Size(*size).Column(p.Width, m.page, m.page >= s.places["part-compared-"].page)
	case m.page >= s.places["index"].page:
		right = m.left + p.Width/5
	case m.left < middle(p, m.page):
		right = middle(p, m.page)
	}
	return slices.DeleteFunc(below, func(w word) bool { return w.Left > right })
}

// middle returns where the second of two columns begins, less a gap.
func middle(p sheet, page int) float64 {
	left, right := paper.Size(*size).Column(p.Width, page, true)
	return (left + right) / 2
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
	least := 12
	if *size == "trade" { // of which a page has fewer
		least = 8
	}
	for i, p := range s.Pages {
		n := len(lines(p.Words)) - 1
		if n < least && !ends[i+1] || n > 0 && n <= 3 && i > 2 {
			t.Errorf("page %d has %d lines", i+1, n)
		}
	}
}

// sidesMirror asks of each page with a margin for notes that its text fills the column that
// the other side of the leaf has, and that nothing stands in the fold.
func sidesMirror(t *testing.T, s *sheaf) {
	for i, p := range s.Pages {
		if i+1 < s.places["part-preface-"].page || i+1 >= s.places["part-compared-"].page || len(p.Words) < 100 {
			continue
		}
		left, right := paper.Size(*size).Column(p.Width, i+1, false)
		first, last := p.Width, 0.0
		for _, w := range p.Words {
			if w.Right > left && w.Left < right {
				first, last = min(first, w.Left), max(last, w.Right)
			} else if (i%2 == 0) != (w.Left > right) && w.Top > 40 {
				t.Errorf("page %d: %q stands in the fold", i+1, w.Text)
			}
		}
		assert.InDelta(t, left+4, first, 7, "page %d", i+1) // a transcript is set in
		assert.LessOrEqual(t, last, right+1.5, "page %d", i+1)
	}
}

// notesStandBeside looks for the text of each note in the margin of the page that calls it.
func notesStandBeside(t *testing.T, s *sheaf, leaves []site.Leaf) {
	at, found := site.AnchorsOf(leaves, "contents", "index"), 0
	for _, leaf := range leaves {
		for n := range leaf.Body.All() {
			if !node.Is(n, "small", "note") {
				continue
			}
			call := s.places[at[leaf.Path+"#"+strings.Replace(node.Get(n, "id"), "note-", "ref-", 1)]]
			p := s.Pages[call.page-1]
			left, right := paper.Size(*size).Column(p.Width, call.page, false)
			var beside strings.Builder
			for _, l := range lines(slices.DeleteFunc(slices.Clone(p.Words), func(w word) bool { return w.Right > left && w.Left < right })) {
				beside.WriteString(l.text())
			}
			want := tight(node.List{n}.Text())
			assert.Contains(t, withoutPages.ReplaceAllString(beside.String(), ""), want, "page %d", call.page)
			found++
		}
	}
	assert.Greater(t, found, 20)
}

var withoutPages = regexp.MustCompile(`\x{2009}?\(p\.\x{2009}?\d+\)`)

// stripsKeepColumns looks for each line of a transcript and of code, leaf by leaf, in
// their order, and measures it: all have one size, of which a letter is .6 wide.
func stripsKeepColumns(t *testing.T, s *sheaf, leaves []site.Leaf) {
	at, held, sizes := site.AnchorsOf(leaves, "contents", "index"), 0, map[string]string{}
	ends := func(n int) int {
		if n == len(leaves) {
			return s.places["words"].page
		}
		return s.places[at[leaves[n].Path]].page
	}
	for n, leaf := range leaves {
		on := s.linesOf(max(ends(n), s.places["part-preface-"].page), ends(n+1), leaf.Kind)
		for _, strip := range strips(leaf) {
			for text := range strings.Lines(strip.text) {
				if tight(text) == "" || strip.isProse[tight(text)] {
					continue
				}
				i := find(text, on)
				if i < 0 {
					t.Errorf("%s: not as it should be on the pages from %d on: %s", leaf.Path, ends(n), text)
					continue
				}
				on, held = on[i:], held+1
				for _, w := range on[0] {
					if n := utf8.RuneCountInString(w.Text); n > 4 && on[0].text() == tight(text) {
						of := fmt.Sprintf("%.1f", (w.Right-w.Left)/float64(n)/.6)
						sizes[of] = fmt.Sprintf("%s, page %d", w.Text, w.page)
					}
				}
			}
		}
	}
	assert.Greater(t, held, 9000, "lines that keep their columns")
	assert.Equal(t, []string{"7.5"}, slices.Sorted(maps.Keys(sizes)), "sizes of code, and where each is: %v", sizes)
}

// A strip is what stands in a leaf line by line.
type strip struct {
	text    string
	isProse map[string]bool // lines that say how time passed
}

// find returns which of the lines has the text or begins it; or -1.
func find(text string, on []line) int {
	want := tight(text)
	for i, l := range on {
		if strings.Contains(l.text(), want) || goesOn(want, on[i:]) {
			return i
		}
	}
	return -1
}

// goesOn reports whether a text stands on lines from the first on, the others set in.
func goesOn(text string, on []line) bool {
	for i, l := range on {
		goes, signed := strings.CutPrefix(l.text(), tight(paper.FoldSign))
		if i > 0 && strings.HasPrefix(on[0].text(), "//") && !signed {
			goes, signed = strings.CutPrefix(goes, "//")
		}
		rest, ok := strings.CutPrefix(text, goes)
		if !ok || i > 0 && l[0].Left < on[0][0].Left+5 && !signed {
			return false
		}
		if rest == "" {
			return true
		}
		text = rest
	}
	return false
}

// linesOf returns the lines on pages of a kind of leaf, column by column if there are two.
func (s *sheaf) linesOf(first, last int, kind site.LeafKind) []line {
	var all []line
	two := kind == site.Exercise
	for i, p := range s.Pages[first-1 : last] {
		var columns [2][]word
		left, right := paper.Size(*size).Column(p.Width, first+i, two || kind == site.Compared)
		for _, w := range p.Words {
			switch {
			case w.Right < left || w.Left > right || w.Bottom < 30: // a note, or the page's head
			case two && w.Left > middle(p, first+i):
				columns[1] = append(columns[1], w)
			default:
				columns[0] = append(columns[0], w)
			}
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
		text := node.List{pre}.Text()
		for last := ""; last != text; { // a comment is one text, however its lines are filled
			last, text = text, goingOn.ReplaceAllString(text, "$1 $2")
		}
		of := strip{text, map[string]bool{}}
		for n := range pre.Descendants() {
			if node.Is(n, "span", "meanwhile") {
				of.isProse[tight(node.List{n}.Text())] = true
			}
		}
		all = append(all, of)
	}
	return all
}

var goingOn = regexp.MustCompile(`(?m)^([\t ]*// [^ *#-].*)\n[\t ]*// ([^ *#-])`)

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
