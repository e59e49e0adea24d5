package site

import (
	"fmt"
	"html/template"
	"slices"
)

// whole returns the page that has all parts of a chapter on it, to be printed.
func whole(b *Book, c *Chapter) *page {
	return &page{
		Path: c.WholePath(), Kind: "whole", Chapter: c, Heading: title(c.Title, b.Title),
		Description: fmt.Sprintf("Chapter %d of %s, %s, on one page, to print.", c.Number, b.Title, c.Title),
	}
}

// WholePath returns the path of the page with all of the chapter's parts from
// the site's root.
func (c *Chapter) WholePath() string { return c.Slug + "/print.html" }

// A bound part stands on one page with the others of its chapter.
type bound struct {
	*page
	Part *Part
	ID   string        // of the part on the page
	Body template.HTML // with ids that no other part has, and links that lead from this page
}

// Opens reports whether the part opens its chapter.
func (b bound) Opens() bool { return b.Part == b.Chapter.Parts[0] }

// Bound returns the parts of the page's chapter as they stand on the page.
func (p *page) Bound() []bound {
	leaves := p.Chapter.leaves()
	at := onOne{AnchorsOf(leaves, "text", "search"), p} // what the page's frame has
	var parts []bound
	for i, part := range p.Chapter.Parts {
		parts = append(parts, bound{p, part, at.Anchors[part.Path()], leaves[i].Bind(at)})
	}
	return parts
}

// HasAnswers reports whether a part of the chapter has an answer to show.
func (c *Chapter) HasAnswers() bool { return slices.ContainsFunc(c.Parts, (*Part).HasAnswers) }

// onOne binds a chapter's parts on one page of the site.
type onOne struct {
	Anchors
	page *page
}

// Lead returns the address of what is on the page or, from there, of what is elsewhere on
// the site.
func (o onOne) Lead(page, id string) string {
	if own := o.Anchors.Lead(page, id); own != "" {
		return own
	}
	if id != "" {
		page += "#" + id
	}
	return o.page.near(page)
}
