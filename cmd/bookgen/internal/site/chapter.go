package site

import (
	"cmp"
	"fmt"
)

// chapterPages returns the pages of a chapter's parts, the one with all of them,
// then those of its files.
func chapterPages(b *Book, c *Chapter) []*page {
	var list []*page
	for _, part := range c.Parts {
		p := &page{Path: part.Path(), Kind: "chapter", Chapter: c, Part: part}
		p.Heading, p.Description = described(b, part.Search, part.Page+" · "+part.Title, part.Summary)
		list = append(list, p)
	}
	if c.Written {
		list = append(list, whole(b, c))
	}
	for k := range c.Listings {
		l := &c.Listings[k]
		list = append(list, &page{
			Path: c.Slug + "/" + l.File + ".html", Kind: "listing", Chapter: c, Listing: l,
			Heading:     title(cmp.Or(l.Title, l.File), b.Title),
			Description: fmt.Sprintf("%s, a source file of chapter %d, %s, with every name linked.", l.File, c.Number, c.Title),
		})
	}
	return list
}

// described returns the title of a page's window and its description. What it says to
// search engines stands before the summary, which is for those who are there.
func described(b *Book, search, name, summary string) (heading, description string) {
	if search == "" {
		return title(name, b.Title), summary
	}
	return title(search, b.Title), search + ". " + summary
}

// Path returns the path of the chapter's first page from the site's root.
func (c *Chapter) Path() string { return c.Slug + "/index.html" }

// Path returns the path of the part's page from the site's root.
func (p *Part) Path() string { return p.Slug + "/index.html" }

// Exercises returns all that the chapter has to list, in their order.
func (c *Chapter) Exercises() []ExerciseLink {
	var all []ExerciseLink
	for _, part := range c.Parts {
		all = append(all, part.Exercises...)
	}
	return append(all, c.Lent...)
}

// HasAnswers reports whether the part has an answer to show.
func (p *Part) HasAnswers() bool { return p.Body.Find("details", "answer") != nil }

// Opens reports whether the page opens its chapter.
func (p *page) Opens() bool { return p.Part == p.Chapter.Parts[0] }

// Heading is a section with the sections below it.
type Heading struct {
	Section
	Sub []Section
}

// Outline returns the part's sections as a tree of two levels.
func (p *Part) Outline() []Heading {
	var outline []Heading
	for _, s := range p.Sections {
		if s.Level > 2 && len(outline) > 0 {
			last := &outline[len(outline)-1]
			last.Sub = append(last.Sub, s)
			continue
		}
		outline = append(outline, Heading{Section: s})
	}
	return outline
}

func count(n int, thing string) string { return fmt.Sprint(n, " ", noun(n, thing)) }

// noun returns the word for so many things.
func noun(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}
