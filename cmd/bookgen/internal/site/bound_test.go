package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestExercisesAreBoundByTheirNumbers(t *testing.T) {
	b := sample.Book()
	for _, file := range []string{"exercises/1k.md", "exercises/1c.md"} { // as a folder has them
		b.Chapters[0].Listings = append(b.Chapters[0].Listings, site.Listing{File: file, Title: file, Body: node.Parse("<p>Do.</p>")})
	}
	var titles []string
	for _, leaf := range site.Leaves(b) {
		if leaf.Kind == site.Exercise {
			titles = append(titles, leaf.Title)
		}
	}
	assert.Equal(t, []string{"Exercise 1b · Compare and act", "exercises/1c.md", "exercises/1k.md"}, titles)
}

func TestWhatIsReadOnAScreenIsNotBound(t *testing.T) {
	b := sample.Book()
	symptoms, sentences := &site.Beside{File: "symptoms.html", Title: "It stands still"}, &site.Beside{File: "sentences.html", Index: true}
	b.Beside, b.Symptoms = append(b.Beside, symptoms, sentences), symptoms
	for _, leaf := range site.Leaves(b) {
		assert.NotContains(t, []string{symptoms.File, sentences.File}, leaf.Path)
	}
}
