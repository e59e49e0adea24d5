package book

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// Page is a page that is of no chapter, and stands beside all of them. Its text
// begins with a paragraph, or with a section: its title is that of front
// matter.
type Page struct {
	Name           string // its file beside book.md
	Slug           string // Name without its ending: the page's name on the site
	Title, Summary string
	Search         string // what search engines are told that it is about; "" for its title
	Sentences      bool   // it's an index: each heading of the third level is a sentence that a program says
	Document       *Document
}

// File returns the name of the page on the site.
func (p *Page) File() string { return p.Slug + ".html" }

// frontOfPage has the keys that such a page's file must have.
type frontOfPage struct {
	Title     string `yaml:"title"`
	Summary   string `yaml:"summary"`
	Search    string `yaml:"search"`
	Sentences bool   `yaml:"sentences"`
}

// own lists the files beside book.md that are no pages.
var own = []string{"book.md", "terms.md"}

// loadPage reads a page that book.md lists.
func loadPage(bookFile, dir, name string) (*Page, error) {
	file := filepath.Join(dir, name)
	if !partName.MatchString(name) || slices.Contains(own, name) {
		return nil, source.At(bookFile, 1, "%q can be no page: it is a file in small letters, digits and dashes", name)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, source.At(bookFile, 1, "there is no file of the page %s", name)
	}
	var front frontOfPage
	body, line, err := source.FrontMatter(file, content, &front)
	if err != nil {
		return nil, err
	}
	page := &Page{
		Name: name, Slug: strings.TrimSuffix(name, ".md"),
		Title: Typographic(front.Title), Summary: Typographic(front.Summary), Search: Typographic(front.Search),
		Sentences: front.Sentences,
	}
	page.Document, err = Parse(file, body, line)
	return page, source.Join(required(file, "title", front.Title), required(file, "summary", front.Summary), err)
}

// lend notes which pages beside the chapters show exercises of these.
func (b *Book) lend() {
	for _, page := range b.Beside {
		for _, ref := range page.Document.References() {
			slug, file, _ := strings.Cut(ref.Path, "/exercises/")
			at := slices.IndexFunc(b.Chapters, func(c *Chapter) bool { return c.Slug == slug })
			if !ref.Alone || file == "" || at < 0 {
				continue
			}
			if b.Chapters[at].Lent == nil {
				b.Chapters[at].Lent = map[string]*Page{}
			}
			b.Chapters[at].Lent[strings.TrimSuffix(file, ".md")] = page
		}
	}
}

// unlistedPages reports pages that were written but stand in no list.
func unlistedPages(dir, file string, listed []string) error {
	written, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range written {
		if name := filepath.Base(path); !slices.Contains(own, name) && !slices.Contains(listed, name) {
			errs = append(errs, source.At(path, 1, "%s does not list the page %s", file, name))
		}
	}
	return source.Join(errs...)
}
