package site_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

var slide = regexp.MustCompile(`<section class="slide[^"]*" data-kind="(\w+)" id="(\d+)">`)

func TestSlidesStandInTheOrderOfTheSchedule(t *testing.T) {
	var kinds []string
	for _, m := range slide.FindAllStringSubmatch(string(render(t)["teach/hour/slides.html"]), -1) {
		kinds = append(kinds, m[2]+" "+m[1])
	}
	assert.Equal(t, []string{
		"1 course", "2 session", "3 ask", "4 transcript", "5 code", "6 task", "7 break",
		"8 session", "9 figure", "10 table", "11 work", "12 code", "13 ask",
	}, kinds)
}

func TestWhoPresentsIsLedToTheFirstSlideOfEachLine(t *testing.T) {
	page := string(render(t)["teach/hour/presenter.html"])
	for _, want := range []string{
		`<article data-first="1" data-at="540" data-minutes="12">`,
		`<article data-first="6" data-at="552" data-minutes="20">`,
		`<article data-first="8" data-at="582" data-minutes="15">`,
		`<a href="slides.html#7"><time>09:32</time> Coffee</a>`,
		`<div data-slide="3">`,
		`<div data-slide="13">`,
		`They take the loop for a timer.`,
	} {
		assert.Contains(t, page, want)
	}
}

func TestARoomIsToldTheAnswerAndNotWhatPeopleSay(t *testing.T) {
	for answer, told := range map[string]string{
		"<p>Two. <em>People say</em> three.</p>":                       "<p>Two.</p>",
		"<p>Two.</p>\n<p><em>People say</em> three.</p>":               "<p>Two.</p>",
		"Two. <em>People say</em> three.":                              "Two.",
		"<p>It depends on <em>when</em>.</p>":                          "<p>It depends on <em>when</em>.</p>",
		"<p><em>People say</em> three, and then they count again.</p>": "<p><em>People say</em> three, and then they count again.</p>",
	} {
		assert.Equal(t, told, strings.TrimSpace((&site.Ask{Answer: node.Parse(answer)}).Told().String()))
	}
}

func TestADrawingThatIsTallStandsBesideItsTitle(t *testing.T) {
	drawing := func(size string) *site.Show {
		return &site.Show{Kind: "figure", Body: node.Parse(`<svg class=wide viewBox="0 0 ` + size + `"></svg><svg viewBox="0 0 340 900"></svg>`)}
	}
	assert.False(t, drawing("680 400").Tall())
	assert.True(t, drawing("680 532.5").Tall())
	assert.False(t, (&site.Show{Kind: "code", Body: node.Parse("viewBox")}).Tall())
}

func TestANoteWithNothingToLookAtHasASlideOfItsTitle(t *testing.T) {
	book := sample.Book()
	note := book.Courses[0].Sessions[1].Items[0].Note
	note.Shows = nil
	files, err := site.Render(book)
	require.NoError(t, err)
	assert.Regexp(t, `data-kind="work" id="9">\s*<div class="title">\s*<h3>A queue of keys`, string(files["teach/hour/slides.html"]))
}

func TestWhatARoomTypesIsOnASlide(t *testing.T) {
	page := string(render(t)["teach/hour/slides.html"])
	at := strings.Index(page, "lab kubectl get pods")
	require.Positive(t, at, "the listing in what there is to say of an item")
	card := page[strings.LastIndex(page[:at], "<section"):at]
	assert.Contains(t, card, `data-kind="code"`)
	assert.Contains(t, card, "<h3>Questions in pairs</h3>")
	assert.Contains(t, card, "--lines:2;--columns:39", "without markup, and as it is typed")
	assert.Contains(t, page[at:], `<div class="asked"><p>Which of them has the queue?</p></div>`, "so is a question, behind it")
	assert.Regexp(t, `(?s)data-kind="work".*<section.*lab kubectl get pods`, page, "behind the slide with the title")
}

func TestTheScriptsOfSlidesStaySmall(t *testing.T) {
	size := 0
	for _, name := range []string{"slides", "presenter"} {
		script, err := os.ReadFile("scripts/" + name + ".js")
		require.NoError(t, err)
		size += len(script)
	}
	assert.Less(t, size, 12_000, "bytes, as they are written")
}
