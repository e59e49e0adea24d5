package link

import (
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// pageLinks are the links of a piece of code on a page of a text.
type pageLinks struct {
	page    *Page
	chapter *snippet.Chapter // whose code it is
	file    *source.File
	owned   bool          // the piece's definitions get their ids here
	runs    []snippet.Run // the piece
}

// OfPiece returns the links of a piece of code on the page. If it is owned, its
// definitions get their ids there.
func (p *Page) OfPiece(c *snippet.Chapter, file *source.File, owned bool, runs []snippet.Run) highlight.Links {
	return &pageLinks{p, c, file, owned, runs}
}

func (l *pageLinks) To(pkg, name string) string {
	in, at, outside := l.page.book.destination(pkg, name)
	switch {
	case in.program == nil:
		return l.page.firstTo(outside, name)
	case at.File == nil:
		return in.chapter.Front(in.program)
	}
	return in.chapter.ShownAt(at.File, at.Line, name)
}

// firstTo gives a library's name a link at its first use on the page, and its
// fields and methods none: they are on the page of the type that they belong
// to. Links to all of them at all places would make up a twentieth of a
// chapter's page; the listings have them.
func (p *Page) firstTo(outside, name string) string {
	if strings.Contains(name, ".") || p.linked[outside] {
		return ""
	}
	if p.linked == nil {
		p.linked = map[string]bool{}
	}
	p.linked[outside] = true
	return outside
}

func (l *pageLinks) Define(name string) (id, href string) {
	if l.owned && l.file.Answers(name) {
		return "", "" // the fold has it: a link to it opens nothing
	}
	if l.owned {
		return l.chapter.DefinitionID(l.file, name), ""
	}
	return "", l.To(l.chapter.ProgramOf(l.file).ImportPath(l.file), name)
}

// Local gives no link to a definition in the same piece: it is in sight, and
// such links would make up a tenth of a chapter's page. On the listing, one
// click on the file's name away, they are all there.
func (l *pageLinks) Local(offset int) string {
	for _, r := range l.runs {
		if r.Start <= offset && offset < r.End {
			return ""
		}
	}
	return l.chapter.ListingHref(l.file, l.file.Line(offset))
}

// listingLinks are the links of a whole file on its listing. Uses lead to
// listings; definitions lead to the part that shows them.
type listingLinks struct {
	book    *Book
	chapter *Chapter
	file    *source.File
}

// OfListing returns the links of a file's listing.
func (b *Book) OfListing(c *Chapter, file *source.File) highlight.Links {
	return &listingLinks{b, c, file}
}

func (l *listingLinks) To(pkg, name string) string {
	in, at, outside := l.book.destination(pkg, name)
	switch {
	case in.program == nil:
		return outside
	case at.File == nil:
		return l.near(in.chapter.Front(in.program))
	}
	return l.near(in.chapter.ListingHref(at.File, at.Line))
}

func (l *listingLinks) Define(name string) (id, href string) {
	c := l.chapter
	program := c.ProgramOf(l.file)
	at, ok := program.Places[snippet.Object{Pkg: program.ImportPath(l.file), Name: name}]
	if !ok || !c.Coverage.Shows(at.File, at.Line) {
		return "", ""
	}
	return "", l.near(c.ShownAt(at.File, at.Line, name))
}

func (l *listingLinks) Local(offset int) string {
	return l.near(l.chapter.ListingHref(l.file, l.file.Line(offset)))
}

// near returns the way from the listing.
func (l *listingLinks) near(address string) string {
	return node.Relative(l.chapter.ListingOf(l.chapter.Name(l.file)), address)
}
