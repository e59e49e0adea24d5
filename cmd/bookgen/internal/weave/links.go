package weave

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/source"
)

// definitionID returns the id of a definition on the page that shows it.
// Headings have ids of small letters and dashes, so a name that could be one
// gets a dot. A name of a package below the chapter's root begins with its
// folder.
func (c *Chapter) definitionID(file *source.File, name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	folder, _ := path.Split(c.name(file))
	switch {
	case strings.HasSuffix(file.Syntax.Name.Name, "_test"):
		return folder + "test." + name
	case strings.Contains(name, ".") || unicode.IsUpper(first):
		return folder + name
	}
	return folder + "." + name
}

// destination returns the place that defines a name of any package: in a room
// of the book, with the zero place if the name is the package's own; or at an
// address outside of the book. With all of them empty, a link has nowhere to
// go.
func (v *volume) destination(pkg, name string) (in room, at place, outside string) {
	if in, ok := v.packages[pkg]; ok {
		if at, ok := in.program.places[object{pkg, name}]; ok || name == "" {
			return in, at, ""
		}
		return room{}, place{}, ""
	}
	if strings.HasPrefix(pkg, v.module+"/") || pkg == "builtin" {
		return room{}, place{}, ""
	}
	outside = "https://pkg.go.dev/" + pkg
	if name != "" {
		outside += "#" + name
	}
	return room{}, place{}, outside
}

// pageLinks are the links of a piece of code on a page of a text.
type pageLinks struct {
	page    *page
	chapter *Chapter // whose code it is
	file    *source.File
	owned   bool  // the piece's definitions get their ids here
	runs    []run // the piece
}

func (l *pageLinks) To(pkg, name string) string {
	in, at, outside := l.page.volume.destination(pkg, name)
	switch {
	case in.program == nil:
		return l.page.firstTo(outside, name)
	case at.file == nil:
		return in.chapter.front(in.program)
	}
	return in.chapter.shownAt(at.file, at.line, name)
}

// firstTo gives a library's name a link at its first use on the page, and its
// fields and methods none: they are on the page of the type that they belong
// to. Links to all of them at all places would make up a twentieth of a
// chapter's page; the listings have them.
func (p *page) firstTo(outside, name string) string {
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
		return l.chapter.definitionID(l.file, name), ""
	}
	return "", l.To(l.chapter.programOf(l.file).importPath(l.file), name)
}

// Local gives no link to a definition in the same piece: it is in sight, and
// such links would make up a tenth of a chapter's page. On the listing, one
// click on the file's name away, they are all there.
func (l *pageLinks) Local(offset int) string {
	for _, r := range l.runs {
		if r.start <= offset && offset < r.end {
			return ""
		}
	}
	return l.chapter.listingHref(l.file, l.file.Line(offset))
}

// listingLinks are the links of a whole file on its listing. Uses lead to
// listings; definitions lead to the part that shows them.
type listingLinks struct {
	volume  *volume
	chapter *Chapter
	file    *source.File
}

func (l *listingLinks) To(pkg, name string) string {
	in, at, outside := l.volume.destination(pkg, name)
	switch {
	case in.program == nil:
		return outside
	case at.file == nil:
		return l.near(in.chapter.front(in.program))
	}
	return l.near(in.chapter.listingHref(at.file, at.line))
}

func (l *listingLinks) Define(name string) (id, href string) {
	c := l.chapter
	program := c.programOf(l.file)
	at, ok := program.places[object{program.importPath(l.file), name}]
	if !ok || !c.coverage.shows(at.file, at.line) {
		return "", ""
	}
	return "", l.near(c.shownAt(at.file, at.line, name))
}

func (l *listingLinks) Local(offset int) string {
	return l.near(l.chapter.listingHref(l.file, l.file.Line(offset)))
}

// near returns the way from the listing.
func (l *listingLinks) near(address string) string {
	return node.Relative(l.chapter.listingOf(l.chapter.name(l.file)), address)
}
