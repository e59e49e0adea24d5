package site

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// To returns the way from the page to another file of the site, given by its
// path from the root. An empty path gives the root itself.
func (p *page) To(path string) string {
	path = p.left.to(path)
	up := strings.Repeat("../", strings.Count(p.Path, "/"))
	if up == "" && path == "" {
		return "./"
	}
	return up + path
}

// ToListing returns the way to the listing of one of the chapter's files.
func (p *page) ToListing(l Listing) string { return p.near(p.Chapter.Slug + "/" + l.File + ".html") }

// Base returns the path that the site is served under, or nothing if the book
// does not know. A server answers with the page "not found" at every depth, and
// only from there do its links lead anywhere.
func (p *page) Base() string {
	u, err := url.Parse(p.Book.Absolute(""))
	if p.Book.URL == "" || err != nil {
		return ""
	}
	return u.Path
}

// Canonical returns the one address of what the page shows, or nothing if the book does not
// know where it will be served.
func (p *page) Canonical() string {
	if p.Book.URL == "" {
		return ""
	}
	at := p.Path
	if p.Kind == "whole" { // it has nothing but what the chapter's other pages have
		at = p.Chapter.Path()
	}
	return p.Book.Absolute(strings.TrimSuffix(at, "index.html"))
}

// Address returns the name by which a report has the page: its address or, if the book does
// not know that, its path.
func (p *page) Address() string { return cmp.Or(p.Canonical(), p.Path) }

// Absolute returns the address of a path of the published site.
func (b *Book) Absolute(path string) string { return strings.TrimSuffix(b.URL, "/") + "/" + path }

// Styles returns the style sheet that the page's kind needs beside the book's.
func (p *page) Styles() string {
	switch p.Kind {
	case "chapter", "whole":
		return ""
	case "listing":
		return "assets/listing.css"
	case "teach", "evening", "course", "notes", "handout", "answers":
		return "assets/teach.css"
	case "slides", "presenter":
		return "assets/slides.css"
	}
	return "assets/front.css"
}

// Script returns the script of the page: the book's, unless its keys mean other
// things there.
func (p *page) Script() string {
	switch p.Kind {
	case "slides", "presenter":
		return "assets/" + p.Kind + ".js"
	}
	return "assets/book.js"
}

// Projects reports whether the page can be had for a whole room, by ?projector.
// Slides are made for one.
func (p *page) Projects() bool { return p.Script() == "assets/book.js" }

// RunningHead returns the text at the head of every sheet when the page is
// printed.
func (p *page) RunningHead() string {
	if p.Course != nil {
		return p.Book.Title + " · " + p.Course.Title
	}
	if p.Kind == "whole" {
		return fmt.Sprintf("%s · %d · %s", p.Book.Title, p.Chapter.Number, p.Chapter.Title)
	}
	if p.Part == nil {
		return ""
	}
	return p.Book.Title + " · " + p.Part.Page + " · " + p.Part.Title
}

// OpenGraphType returns what a link's preview should take the page for.
func (p *page) OpenGraphType() string {
	switch p.Kind {
	case "home":
		return "book"
	case "chapter":
		return "article"
	}
	return "website"
}
