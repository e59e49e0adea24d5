package weave

import (
	"html/template"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// volume is the book during the second pass: all chapters, read.
type volume struct {
	memory   *Memory
	book     *book.Book
	module   string              // the module's path
	chapters map[string]*Chapter // the written ones, by slug
	packages map[string]room     // their packages, by import path, tests included
	ids      map[string]ids      // of rendered pages, by folder
	anchors  []anchor            // links to check once all ids are known
}

// room is a package in its chapter.
type room struct {
	chapter *Chapter
	program *Program
}

func (m *Memory) weave(b *book.Book, module string, chapters []*Chapter) (*site.Book, error) {
	v := &volume{memory: m, book: b, module: module, chapters: map[string]*Chapter{}, packages: map[string]room{}, ids: map[string]ids{}}
	for _, c := range chapters {
		v.chapters[c.Slug] = c
		for _, p := range c.Code {
			v.packages[p.info.Path] = room{c, p}
			v.packages[p.info.Path+"_test"] = room{c, p}
		}
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
	out.Symbols = v.index()
	terms, termsErr := v.terms()
	out.Terms = terms
	return out, source.Join(append(errs, err, termsErr, v.deadAnchors())...)
}

func (v *volume) chapter(c *book.Chapter) (*site.Chapter, error) {
	out := &site.Chapter{Number: c.Number, Slug: c.Slug, Title: c.Title, Summary: c.Summary, Written: c.Written}
	chapter := v.chapters[c.Slug]
	if chapter == nil {
		return out, nil
	}
	var errs []error
	if v.book.Map != "" {
		errs = append(errs, v.chapterMap(out))
	}
	for _, part := range c.Parts {
		woven, err := v.part(chapter, part)
		out.Parts = append(out.Parts, woven)
		errs = append(errs, err)
	}
	listings, err := v.listings(chapter)
	out.Listings = listings
	out.Text = append(chapter.fieldEntries(), chapter.testEntries()...)
	return out, source.Join(append(errs, err)...)
}

// part renders a page of a chapter.
func (v *volume) part(c *Chapter, part *book.Part) (*site.Part, error) {
	p := &page{volume: v, chapter: c, part: part, folder: part.Slug}
	body := p.render(part.Document)
	v.ids[part.Slug] = idsIn(body)
	out := &site.Part{
		Slug: part.Slug, Number: part.Number, Title: part.Title, Summary: part.Summary, Term: part.Term,
		Annex: part.Annex(), Body: template.HTML(body), Text: c.searchEntries(part),
	}
	out.Words, out.Lines = length(part.Document)
	out.Folded = measure(part).Folded
	out.Initial = beginsLong(part.Document)
	for _, h := range part.Document.Headings {
		if h.Level == 2 || h.Level == 3 {
			out.Sections = append(out.Sections, site.Section{ID: h.ID, Title: h.Title, Term: h.Term, Level: h.Level})
		}
	}
	for _, e := range c.exercisesOn(part) {
		out.Exercises = append(out.Exercises, site.ExerciseLink{
			Number: e.Number, Title: book.Typographic(e.Title), Minutes: e.Minutes, Anchor: "exercise-" + e.Number,
		})
	}
	return out, source.Join(p.errs...)
}

// beginsLong reports whether a text begins with a paragraph of three lines, in
// the page's widest column: an initial is as high.
func beginsLong(doc *book.Document) bool {
	const threeLines = 150 // signs, beside an initial
	n := doc.Root.FirstChild()
	if n != nil && n.Kind() == ast.KindHeading {
		n = n.NextSibling()
	}
	return n != nil && n.Kind() == ast.KindParagraph && len([]rune(doc.Text(n))) >= threeLines
}
