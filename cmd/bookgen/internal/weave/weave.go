package weave

import (
	"html/template"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// volume is the book during the second pass: all chapters, read.
type volume struct {
	book     *book.Book
	module   string              // the module's path
	chapters map[string]*Chapter // the written ones, by slug
	packages map[string]*Chapter // the same, by import path, tests included
	ids      map[string]ids      // of rendered chapters, by slug
	anchors  []anchor            // links to check once all ids are known
}

// Weave renders the book. chapters are those that are written; module is the
// path that their import paths begin with.
func Weave(b *book.Book, module string, chapters []*Chapter) (*site.Book, error) {
	v := &volume{book: b, module: module, chapters: map[string]*Chapter{}, packages: map[string]*Chapter{}, ids: map[string]ids{}}
	for _, c := range chapters {
		v.chapters[c.Slug] = c
		v.packages[c.info.Path] = c
		v.packages[c.info.Path+"_test"] = c
	}
	out := &site.Book{Title: b.Title, Subtitle: b.Subtitle, Description: b.Description, URL: b.URL}
	var errs []error
	for _, c := range b.Chapters {
		chapter, err := v.chapter(c)
		out.Chapters = append(out.Chapters, chapter)
		errs = append(errs, err)
	}
	home, err := v.home()
	out.Home = home
	out.Symbols = v.symbols()
	return out, source.Join(append(errs, err, v.deadAnchors())...)
}

func (v *volume) chapter(c *book.Chapter) (*site.Chapter, error) {
	out := &site.Chapter{Number: c.Number, Slug: c.Slug, Title: c.Title, Summary: c.Summary, Written: c.Written}
	chapter := v.chapters[c.Slug]
	if chapter == nil {
		return out, nil
	}
	p := &page{volume: v, chapter: chapter}
	body := p.render(c.Document)
	v.ids[c.Slug] = idsIn(body)
	out.Body = template.HTML(body)
	out.Words, out.Minutes = length(c.Document)
	for _, h := range c.Document.Headings {
		if h.Level == 2 || h.Level == 3 {
			out.Sections = append(out.Sections, site.Section{ID: h.ID, Title: h.Title, Level: h.Level})
		}
	}
	for _, e := range chapter.Exercises {
		out.Exercises = append(out.Exercises, site.ExerciseLink{
			Number: e.Number, Title: book.Typographic(e.Title), Minutes: e.Minutes, Anchor: "exercise-" + e.Number,
		})
	}
	out.Text = chapter.searchEntries()
	listings, err := v.listings(chapter)
	out.Listings = listings
	return out, source.Join(append(p.errs, err)...)
}
