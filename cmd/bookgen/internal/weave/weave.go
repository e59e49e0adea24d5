package weave

import (
	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// volume is the book during the second pass: all chapters, read.
type volume struct {
	memory   *Memory
	book     *book.Book
	chapters map[string]*Chapter // the written ones, by slug
	links    *link.Book
	lent     map[string]bool // the references into chapters from outside of them
	out      *site.Book      // as far as it is woven
}

func (m *Memory) weave(b *book.Book, module string, chapters []*Chapter) (*site.Book, error) {
	out := &site.Book{
		Title: b.Title, Subtitle: b.Subtitle, Description: b.Description, Imprint: site.Imprint(b.Imprint), CoverPicture: b.CoverPicture, Edition: b.Edition,
		URL: b.URL, Source: b.Source, Report: b.Report, Moved: b.Moved,
	}
	for _, e := range b.Editions {
		out.Editions = append(out.Editions, site.Edition(e))
	}
	v := &volume{memory: m, book: b, chapters: map[string]*Chapter{}, lent: map[string]bool{}, out: out}
	v.links = link.New(b, module, v.asset)
	for _, c := range chapters {
		v.chapters[c.Slug] = c
		v.links.Add(c.Chapter)
	}
	var errs []error
	for _, c := range chapters { // before any listing says what is on which page
		errs = append(errs, v.guests(c))
	}
	for _, c := range b.Chapters {
		chapter, err := v.chapter(c)
		out.Chapters = append(out.Chapters, chapter)
		errs = append(errs, err)
	}
	home, err := v.home()
	out.Home = home
	loop, loopErr := v.loop()
	out.Loop = loop
	errs = append(errs, v.besides())
	for _, c := range chapters {
		if len(c.Unread) == 0 { // or else it would be said of all that such a part shows
			errs = append(errs, v.missingScenes(c))
		}
	}
	out.Symbols = v.index()
	terms, termsErr := v.terms()
	out.Terms = terms
	courses, coursesErr := v.courses()
	out.Courses = courses
	return out, source.Join(append(errs, err, loopErr, termsErr, coursesErr, v.checkAlone(), v.links.Dead())...)
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
	for _, e := range chapter.Exercises {
		if beside := c.Lent[e.Number]; beside != nil {
			out.Lent = append(out.Lent, linkTo(e, beside.File()))
		}
	}
	listings, err := v.listings(chapter)
	out.Listings = listings
	out.Text = append(chapter.fieldEntries(), chapter.testEntries()...)
	return out, source.Join(append(errs, err)...)
}

// guests weaves into a chapter's pages what they show of other chapters.
func (v *volume) guests(c *Chapter) error {
	var errs []error
	for _, part := range c.Parts {
		p := v.page(c, part, part.Slug)
		p.weaveGuests(part.Document)
		errs = append(errs, p.errs...)
	}
	return source.Join(errs...)
}

// part renders a page of a chapter.
func (v *volume) part(c *Chapter, part *book.Part) (*site.Part, error) {
	p := v.page(c, part, part.Slug)
	body := p.render(part.Document)
	v.links.Rendered(part.Slug, body)
	out := &site.Part{
		Slug: part.Slug, Page: part.Page(), Title: part.Title, Summary: part.Summary,
		Search: part.Search, Compared: part.Compared(), Beneath: part.Beneath, Body: body, Text: c.searchEntries(part),
	}
	out.Words, out.Lines = length(part.Document)
	out.Initial = beginsLong(part.Document)
	out.Opening, out.Sections = divided(part.Document)
	for _, e := range c.exercisesOn(part) {
		out.Exercises = append(out.Exercises, linkTo(e, out.Path()))
	}
	return out, source.Join(p.errs...)
}

func linkTo(e *exercise.Exercise, page string) site.ExerciseLink {
	return site.ExerciseLink{
		Number: e.Number, Title: book.Typographic(e.Title), Minutes: e.Minutes,
		Page: page, Anchor: "exercise-" + e.Number,
	}
}

// divided returns what stands before the first section of a part, and its
// sections, with how much there is to read in each. What is below a section of
// the short path is on it, too.
func divided(doc *book.Document) (opening site.Section, sections []site.Section) {
	lengths := extents(doc)
	all := []site.Section{{}}
	above := map[int]bool{} // by level, whether the section around is on the short path
	for _, h := range doc.Headings {
		above[h.Level] = h.Short || h.Level > 2 && above[h.Level-1]
		words, lines := lengths[h.ID].words, lengths[h.ID].lines
		switch last := &all[len(all)-1]; {
		case h.Level == 1:
			all[0] = site.Section{Short: h.Short, Words: words, Lines: lines}
		case h.Level > 3:
			last.Words += words
			last.Lines += lines
		default:
			all = append(all, site.Section{
				ID: h.ID, Title: h.Title, Level: h.Level, Short: above[h.Level], Words: words, Lines: lines,
			})
		}
	}
	return all[0], all[1:]
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
