package site

import (
	"net/url"
	"strings"

	"reconcile/internal/workshop/course"
)

// Source returns the address of the file that the page is made of, or nothing if the book
// does not know where its files are shown, or if the page is made of all of them.
func (p *page) Source() string {
	if file := p.file(); file != "" && p.Book.Source != "" {
		return strings.TrimSuffix(p.Book.Source, "/") + "/" + file
	}
	return ""
}

// file returns the file that the page is made of, by its path in the repository.
func (p *page) file() string {
	name := strings.TrimSuffix(p.Path, ".html")
	switch {
	case p.Listing != nil:
		return "chapters/" + name
	case p.Beside != nil:
		return "chapters/" + name + ".md"
	case p.Course != nil:
		return course.Folder + "/" + p.Course.Slug + ".md"
	case p.Part != nil && p.Part.Slug != p.Chapter.Slug:
		return "chapters/" + p.Part.Slug + ".md"
	case p.Chapter != nil:
		return "chapters/" + p.Chapter.Slug + "/chapter.md"
	}
	return map[string]string{"home": "chapters/book.md", "words": "chapters/terms.md"}[p.Kind]
}

// Report returns the address at which a mistake on the page is reported, or nothing if the
// book has none, or if the page stands for one that isn't there. The page's script adds the
// section.
func (p *page) Report() string {
	if p.Kind == "notfound" {
		return ""
	}
	body := "\n\n" + p.Address() + "\n" + p.Book.Edition + "\n"
	return strings.NewReplacer("{title}", escaped(p.Heading), "{body}", escaped(body)).Replace(p.Book.Report)
}

// escaped returns a text as a part of an address. A plus is no space to a program for mail.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
