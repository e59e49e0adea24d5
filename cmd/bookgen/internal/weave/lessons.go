package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// passage is a section of a chapter, by the folder, the file and the id of its
// heading; without id it is the page's opening.
type passage struct{ chapter, part, heading string }

// lessons are the notes of all chapters, and what stands before those of each.
type lessons struct {
	notes  map[passage]*site.Note
	before map[string]node.List // by the chapter's folder
	files  map[string]string    // likewise: with the notes
}

// lessons renders how to teach the chapters.
func (v *volume) lessons() (lessons, error) {
	all := lessons{map[passage]*site.Note{}, map[string]node.List{}, map[string]string{}}
	var errs []error
	for _, c := range v.book.Chapters {
		chapter := v.chapters[c.Slug]
		if chapter == nil || c.Lessons == nil {
			continue
		}
		p := v.notesPage(chapter)
		all.before[c.Slug] = p.noted(c.Lessons.Before)
		errs = append(errs, p.errs...)
		for _, lesson := range c.Lessons.All {
			at := passage{c.Slug, lesson.Part, lesson.Heading}
			if all.notes[at] != nil {
				errs = append(errs, source.At(lesson.File, lesson.Line, "a second note on %s", lesson.Title))
				continue
			}
			note, err := v.note(chapter, lesson)
			all.notes[at] = note
			errs = append(errs, err)
		}
	}
	return all, source.Join(errs...)
}

func (v *volume) notesPage(c *Chapter) *page {
	return v.page(c, nil, site.TeachFolder)
}

// note renders a note. It is returned with an error, too, so that a course that
// has it is not told that there is none.
func (v *volume) note(c *Chapter, lesson *book.Lesson) (*site.Note, error) {
	note := &site.Note{Chapter: c.Number, Title: lesson.Title, Minutes: lesson.Minutes}
	part, heading, err := c.taught(lesson)
	if err != nil {
		return note, source.At(lesson.File, lesson.Line, "%v", err)
	}
	if part == nil {
		return note, nil // that it cannot be read is reported already
	}
	note.Href = snippet.AddressOn(part, lesson.Heading)
	note.ID = fmt.Sprint(c.Number, "-", heading.ID)
	if part != c.Parts[0] {
		note.ID = fmt.Sprint(c.Number, "-", strings.TrimSuffix(part.Name, ".md"), "-", heading.ID)
	}
	p := v.notesPage(c)
	p.mark = "on-" + note.ID + "-"
	note.Say = p.noted(lesson.Say)
	note.Asks = p.asks(lesson.Ask)
	note.Shows = p.shows(lesson.Show)
	note.Watch = p.noted(lesson.Watch)
	return note, source.Join(p.errs...)
}

// taught finds the section that a note is on.
func (c *Chapter) taught(lesson *book.Lesson) (*book.Part, book.Heading, error) {
	part := c.Part(lesson.Part)
	if part == nil {
		if lesson.Part == "" || slices.Contains(c.Unread, lesson.Part) {
			return nil, book.Heading{}, nil
		}
		return nil, book.Heading{}, fmt.Errorf("a note on a page that is not there: %s has no %s", c.Slug, lesson.Part)
	}
	i := slices.IndexFunc(part.Document.Headings, func(h book.Heading) bool {
		return h.ID == lesson.Heading || lesson.Heading == "" && h.Level == 1
	})
	if i < 0 {
		return part, book.Heading{}, fmt.Errorf("a note on a heading that is not there: %s has no #%s", lesson.Part, lesson.Heading)
	}
	if h := part.Document.Headings[i]; h.Title != lesson.Title {
		return part, h, fmt.Errorf("the heading is %q, and not %q", h.Title, lesson.Title)
	}
	return part, part.Document.Headings[i], nil
}

// noted renders a text of a note; one that is missing is empty.
func (p *page) noted(doc *book.Document) node.List {
	if doc == nil {
		return nil
	}
	if err := replaceFences(doc, false); err != nil {
		p.errs = append(p.errs, err)
	}
	p.refuseBareNames(doc)
	return p.render(doc)
}

// refuseBareNames reports sections that a note names without a link. A link is
// found to be dead when its section is called otherwise; a name is not.
func (p *page) refuseBareNames(doc *book.Document) {
	doc.Walk(func(n ast.Node) bool {
		if n.Kind() == ast.KindEmphasis {
			if address := p.volume.section(doc.Text(n)); address != "" {
				p.fail(doc, doc.Line(n), fmt.Errorf("a section is named by a link to it: [%s](%s)", doc.Text(n), address))
			}
		}
		return true
	})
}

// section returns where the section of a title is, as a chapter's notes link to it;
// it is empty if there is none.
func (v *volume) section(title string) string {
	for _, c := range v.book.Chapters {
		for _, part := range c.Parts {
			for _, h := range part.Document.Headings {
				if h.Title == title {
					return "../" + c.Slug + "/" + part.Name + "#" + h.ID
				}
			}
		}
	}
	return ""
}

// asks renders questions, each with its answer. A reference to a run asks what the page
// asks before it.
func (p *page) asks(doc *book.Document) []site.Ask {
	if doc == nil {
		return nil
	}
	if err := replaceFences(doc, false); err != nil {
		p.errs = append(p.errs, err)
	}
	p.refuseBareNames(doc)
	runs := map[ast.Node]book.Reference{}
	for _, ref := range doc.References() {
		if ref.Alone {
			runs[ref.Node.Parent()] = ref
		}
	}
	p.resolveLinks(doc)
	var asks []site.Ask
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		run, ok := runs[n]
		switch {
		case n.Kind() == extast.KindDefinitionList:
			asks = append(asks, p.asked(doc, n)...)
		case ok:
			asks = append(asks, p.askedBefore(doc, run)...)
		default:
			p.fail(doc, doc.Line(n), fmt.Errorf("a question stands in a paragraph, and below it, behind a colon, its answer"))
		}
	}
	return asks
}

// askedBefore returns the prediction that a page asks for before a run.
func (p *page) askedBefore(doc *book.Document, run book.Reference) []site.Ask {
	chapter, name, err := p.find(run.Path)
	if err != nil {
		return nil // the link is dead, and reported
	}
	foretold := chapter.foretold[snippet.ElementID(name, run.Fragment)]
	if foretold == nil {
		p.fail(doc, run.Line, fmt.Errorf("no page asks for a prediction before %s", snippet.Address(run)))
		return nil
	}
	return []site.Ask{foretold.ask(p)}
}

// asked renders the questions of a definition list.
func (p *page) asked(doc *book.Document, list ast.Node) []site.Ask {
	var asks []site.Ask
	for child := list.FirstChild(); child != nil; child = child.NextSibling() {
		inside := p.resolved(doc, child)
		if child.Kind() == extast.KindDefinitionTerm {
			asks = append(asks, site.Ask{Question: inside})
		} else {
			last := &asks[len(asks)-1]
			last.Answer = append(last.Answer, inside...)
		}
	}
	return asks
}

// shows resolves what a note shows: references, each alone in its paragraph, and
// tables.
func (p *page) shows(doc *book.Document) []site.Show {
	if doc == nil {
		return nil
	}
	guests := map[*Chapter]*Chapter{}
	found := map[ast.Node]site.Show{}
	for _, ref := range doc.References() {
		if !ref.Alone || ref.External() {
			continue
		}
		show, element, err := p.show(guests, ref)
		if err != nil {
			p.fail(doc, ref.Line, err)
			element = nothing{}
		}
		woven := &prose.Block{Element: element, Line: ref.Line}
		replace(ref.Node.Parent(), woven)
		found[woven] = show
	}
	p.resolveLinks(doc)
	var shows []site.Show
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		show, ok := found[n]
		switch {
		case n.Kind() == extast.KindTable:
			show = site.Show{Kind: "table", Line: doc.Line(n)}
		case !ok:
			p.fail(doc, doc.Line(n), fmt.Errorf("what is shown is a reference, alone in its paragraph, or a table"))
			continue
		}
		show.File = doc.File
		show.Body = p.shown(doc, n)
		shows = append(shows, show)
	}
	return shows
}
