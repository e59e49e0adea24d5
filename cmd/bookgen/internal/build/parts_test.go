package build_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// composeParts weaves a book whose first chapter has two parts to read.
func composeParts(t *testing.T) (*build.Edition, []*site.Part) {
	t.Helper()
	archive, err := os.ReadFile("testdata/parts/book.txtar")
	require.NoError(t, err)
	edition, err := build.Compose(context.Background(), options(t, string(archive)))
	require.NoError(t, err)
	parts := edition.Book.Chapters[0].Parts
	require.Len(t, parts, 3)
	return edition, parts
}

func TestAPartIsAPageInItsChaptersFolder(t *testing.T) {
	edition, parts := composeParts(t)
	var slugs, titles, numbers []string
	for _, part := range parts {
		assert.Contains(t, edition.Files, part.Slug+"/index.html")
		slugs, titles, numbers = append(slugs, part.Slug), append(titles, part.Title), append(numbers, part.Page)
	}
	assert.Equal(t, []string{"01-loop", "01-loop/stopping", "01-loop/in-kubernetes"}, slugs)
	assert.Equal(t, []string{"Turning", "Stopping", "Loops in Kubernetes"}, titles)
	assert.Equal(t, []string{"1.1", "1.2", "1"}, numbers, "the comparison is no stop on the way")
	assert.True(t, parts[2].Compared)
}

// What a part shows is on no page while the part cannot be read, and links into
// it lead nowhere: that follows, and is not said.
func TestAPartThatCannotBeReadIsOneError(t *testing.T) {
	archive, err := os.ReadFile("testdata/parts/book.txtar")
	require.NoError(t, err)
	without := options(t, string(archive))
	require.NoError(t, os.Remove(filepath.Join(without.Root, "chapters", "01-loop", "stopping.md")))
	misspelt := options(t, strings.Replace(string(archive), "title: Stopping", "titel: Stopping", 1))
	for want, o := range map[string]build.Options{
		"chapter.md:1: there is no file of the part stopping.md in 01-loop": without,
		"stopping.md:2: front matter has no key titel":                      misspelt,
	} {
		_, err := build.Compose(context.Background(), o)
		errs := source.Flatten(err)
		require.Len(t, errs, 1, "%v", err)
		assert.ErrorContains(t, errs[0], want)
	}
}

func TestALongBeginningHasAnInitial(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("Compare. ", 20):        true,
		"What it promises:":                    false,
		"- " + strings.Repeat("Compare. ", 20): false,
	} {
		edition, err := build.Compose(context.Background(), options(t, "-- chapter.md --\n# Loop\n\n"+text+"\n\n[loop.go](loop.go)\n"))
		require.NoError(t, err)
		assert.Equal(t, want, edition.Book.Chapters[0].Parts[0].Initial, text)
	}
}

func TestLinksLeadToThePartThatHasIt(t *testing.T) {
	edition, parts := composeParts(t)
	first, second := parts[0].Body.String(), parts[1].Body.String()
	assert.Contains(t, first, `<a href=01-loop/stopping/index.html#Stop>Stop</a>`)
	assert.Contains(t, first, `<a href=01-loop/stopping/index.html#at-the-end>further on</a>`)
	assert.Contains(t, first, `<a href=01-loop/in-kubernetes/index.html#.text>the text</a>`)
	assert.Contains(t, first, `<a href=01-loop/stopping/index.html#testdata/life.scene:ends>what was typed</a>`)
	assert.Contains(t, first, `<a href=01-loop/stopping/index.html#exercise-1b>what to do</a>`)
	assert.Contains(t, first, `<a href=01-loop/in-kubernetes/index.html#.text>text</a>`, "in code, too")
	assert.Contains(t, second, `<a href=01-loop/stopping/index.html#Stop>stops</a>`)
	assert.Contains(t, second, `<a href=01-loop/index.html#turning-round>a turn</a>`)
	assert.Contains(t, second, `<a href=01-loop/loop.go.html>file</a>`)
	assert.Contains(t, second, `<a href=02-later/index.html#Later>Later</a>`)
	later := edition.Book.Chapters[1].Parts[0].Body.String()
	assert.Contains(t, later, `<a href=01-loop/stopping/index.html#at-the-end>it stopped</a>`)
	assert.Contains(t, later, `<a href=01-loop/stopping/index.html#Stop>loop.Stop</a>`)
}

func TestNotesAreNumberedByPage(t *testing.T) {
	_, parts := composeParts(t)
	for _, part := range parts[:2] {
		assert.Contains(t, part.Body.String(), `<a class=note-ref id=ref-n href=#note-n>1</a>`)
	}
}

func TestAnExerciseStandsOnItsPart(t *testing.T) {
	edition, parts := composeParts(t)
	assert.Empty(t, parts[0].Exercises)
	require.Len(t, parts[1].Exercises, 1)
	card := parts[1].Body.String()
	assert.Contains(t, card, `<a href=01-loop/exercises/1b.md.html>Go round</a>`)
	for _, l := range edition.Book.Chapters[0].Listings {
		if l.File == "exercises/1b.md" {
			assert.Contains(t, l.Body.String(), `<a href=01-loop/stopping/index.html#exercise-1b>the exercise in its chapter</a>`)
			assert.Contains(t, l.Body.String(), `<a href=01-loop/loop.go.html#L6>loop.go</a>`)
			assert.Contains(t, l.Body.String(), `<a href=01-loop/index.html#turning-round>before</a>`)
			assert.Contains(t, l.Body.String(), `<a href=01-loop/stopping/index.html#answer-1b>The answer`)
		}
	}
}

func TestIndexSearchAndListingsKnowParts(t *testing.T) {
	edition, parts := composeParts(t)
	hrefs := map[string]string{}
	for _, s := range edition.Book.Symbols {
		hrefs[s.Name] = s.Href
	}
	assert.Equal(t, map[string]string{
		"Later": "02-later/index.html#Later", "Loop": "01-loop/index.html#Loop",
		"Stop": "01-loop/stopping/index.html#Stop", "text": "01-loop/in-kubernetes/index.html#.text",
	}, hrefs)
	assert.Equal(t, site.SearchEntry{Kind: "section", Title: "At the end", Href: "01-loop/stopping/index.html#at-the-end",
		Text: "Words of the second."}, parts[1].Text[1])
	assert.Equal(t, "01-loop/stopping/index.html#exercise-1b", parts[1].Text[2].Href)
	assert.Contains(t, markup(edition.Book.Chapters[0].Listings[0]), `<a class=d href=stopping/index.html#Stop>Stop</a>`)
}
