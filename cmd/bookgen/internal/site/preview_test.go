package site_test

import (
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestEachPageNamesAPictureOfACardThatThereIs(t *testing.T) {
	book := sample.Book()
	book.Previews = true
	files, err := site.Render(book)
	require.NoError(t, err)
	drawn := map[string]site.Card{}
	for _, card := range site.Cards(book) {
		drawn["https://reconcile.example/"+card.File] = card
	}
	picture := regexp.MustCompile(`og:image" content="([^"]*)"`)
	for name, content := range files {
		if m := picture.FindSubmatch(content); path.Ext(name) == ".html" && name != "404.html" && assert.NotNil(t, m, name) {
			assert.Contains(t, drawn, string(m[1]), name)
		}
	}
	assert.Equal(t, site.Card{File: "previews/book.png", Title: book.Title, Below: book.Subtitle}, drawn["https://reconcile.example/previews/book.png"])
	own := string(picture.FindSubmatch(files["01-control-loop/index.html"])[1])
	assert.Equal(t, book.Chapters[0].Parts[0].Title, drawn[own].Title)
	listing := picture.FindSubmatch(files["01-control-loop/queue.go.html"])
	require.NotNil(t, listing)
	assert.Equal(t, own, string(listing[1]), "a listing has its chapter's")
}

func TestNoPageNamesAPictureThatWasNotDrawn(t *testing.T) {
	for name, content := range render(t) {
		assert.NotContains(t, string(content), "og:image", name)
	}
}
