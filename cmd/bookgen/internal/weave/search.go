package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
)

// searchEntries are the chapter's sections with their text, and its exercises.
func (c *Chapter) searchEntries() []site.SearchEntry {
	entries := []site.SearchEntry{{Title: c.Title, Href: c.Slug + "/index.html", Kind: "section"}}
	var text []string
	flush := func() {
		entries[len(entries)-1].Text = strings.Join(strings.Fields(strings.Join(text, " ")), " ")
		text = nil
	}
	headings := c.Document.Headings
	for n := c.Document.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			text = append(text, blockTexts(c.Document, n)...)
			continue
		}
		if h.Level > 1 {
			flush()
			heading := headings[0]
			entries = append(entries, site.SearchEntry{Title: heading.Title, Href: c.Slug + "/index.html#" + heading.ID, Kind: "section"})
		}
		headings = headings[1:]
	}
	flush()
	for _, e := range c.Exercises {
		entries = append(entries, site.SearchEntry{
			Kind: "exercise", Title: e.Number + " " + book.Typographic(e.Title),
			Href: c.Slug + "/index.html#exercise-" + e.Number, Text: strings.Join(strings.Fields(string(e.Statement)), " "),
		})
	}
	return entries
}
