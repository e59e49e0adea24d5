package site

import (
	"fmt"
	"strconv"
	"strings"
)

// chapterPages returns the page of the i-th chapter, then those of its files.
func chapterPages(b *Book, i int) []*page {
	c := b.Chapters[i]
	chapter := &page{
		Path: c.Path(), Kind: "chapter", Chapter: c,
		Heading:     fmt.Sprintf("%d · %s", c.Number, title(c.Title, b.Title)),
		Description: c.Summary,
	}
	if i > 0 {
		chapter.Prev = b.Chapters[i-1]
	}
	if i+1 < len(b.Chapters) {
		chapter.Next = b.Chapters[i+1]
	}
	list := []*page{chapter}
	for k := range c.Listings {
		l := &c.Listings[k]
		list = append(list, &page{
			Path: c.Slug + "/" + l.File + ".html", Kind: "listing", Chapter: c, Listing: l,
			Heading:     title(l.File, b.Title),
			Description: fmt.Sprintf("%s, a source file of chapter %d, %s, with every name linked.", l.File, c.Number, c.Title),
		})
	}
	return list
}

// Path returns the path of the chapter's page from the site's root.
func (c *Chapter) Path() string { return c.Slug + "/index.html" }

// Heading is a section with the sections below it.
type Heading struct {
	Section
	Sub []Section
}

// Outline returns the chapter's sections as a tree of two levels.
func (c *Chapter) Outline() []Heading {
	var outline []Heading
	for _, s := range c.Sections {
		if s.Level > 2 && len(outline) > 0 {
			last := &outline[len(outline)-1]
			last.Sub = append(last.Sub, s)
			continue
		}
		outline = append(outline, Heading{Section: s})
	}
	return outline
}

// Outline returns the outline of the page's chapter.
func (p *page) Outline() []Heading { return p.Chapter.Outline() }

// Length says how long the chapter is, in words that a reader can plan with.
func (p *page) Length() string {
	c := p.Chapter
	parts := []string{
		fmt.Sprintf("%d minutes to read", c.Minutes),
		thousands(c.Words) + " words",
	}
	if n := len(c.Exercises); n > 0 {
		parts = append(parts, count(n, "exercise"))
	}
	return strings.Join(parts, " · ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// thousands writes 8214 as 8,214.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
