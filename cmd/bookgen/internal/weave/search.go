package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
)

// searchEntries are a part's sections with their text, and its exercises.
func (c *Chapter) searchEntries(part *book.Part) []site.SearchEntry {
	page, doc := part.Slug+"/index.html", part.Document
	entries := []site.SearchEntry{{Title: part.Title, Href: page, Kind: "section"}}
	var text []string
	flush := func() {
		entries[len(entries)-1].Text = strings.Join(strings.Fields(strings.Join(text, " ")), " ")
		text = nil
	}
	headings := doc.Headings
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			text = append(text, blockTexts(doc, n)...)
			continue
		}
		if h.Level > 1 {
			flush()
			heading := headings[0]
			entries = append(entries, site.SearchEntry{Title: heading.Title, Href: page + "#" + heading.ID, Kind: "section"})
		}
		headings = headings[1:]
	}
	flush()
	for _, e := range c.exercisesOn(part) {
		entries = append(entries, site.SearchEntry{
			Kind: "exercise", Title: e.Number + " " + book.Typographic(e.Title),
			Href: page + "#exercise-" + e.Number, Text: strings.Join(strings.Fields(string(e.Statement)), " "),
		})
	}
	return entries
}

// exercisesOn are the exercises that a part shows.
func (c *Chapter) exercisesOn(part *book.Part) []*exercise.Exercise {
	var on []*exercise.Exercise
	for _, e := range c.Exercises {
		if c.cards[e.Number] == part {
			on = append(on, e)
		}
	}
	return on
}
