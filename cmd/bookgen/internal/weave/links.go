package weave

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"reconcile/internal/source"
)

// definitionID is the id of a definition on the page that shows it. Headings have
// ids of small letters and dashes, so a name that could be one gets a dot.
func (c *Chapter) definitionID(file *source.File, name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case strings.HasSuffix(file.Syntax.Name.Name, "_test"):
		return "test." + name
	case strings.Contains(name, ".") || unicode.IsUpper(first):
		return name
	}
	return "." + name
}

// destination says where a name of any package is defined: in a chapter, or
// at an address outside of the book, or, with both empty, nowhere to go to.
func (v *volume) destination(pkg, name string) (chapter *Chapter, at place, outside string) {
	if chapter = v.packages[pkg]; chapter != nil {
		if at, ok := chapter.Code.places[object{pkg, name}]; ok {
			return chapter, at, ""
		}
		if name == "" {
			return chapter, place{}, ""
		}
		return nil, place{}, ""
	}
	if strings.HasPrefix(pkg, v.module+"/") || pkg == "builtin" {
		return nil, place{}, ""
	}
	outside = "https://pkg.go.dev/" + pkg
	if name != "" {
		outside += "#" + name
	}
	return nil, place{}, outside
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
	chapter, at, outside := l.page.volume.destination(pkg, name)
	switch {
	case chapter == nil:
		return l.page.firstTo(outside, name)
	case at.file == nil:
		return l.page.to(chapter) + "index.html"
	}
	if part := chapter.coverage.part(at.file, at.line); part != nil {
		return l.page.at(part, chapter.definitionID(at.file, name))
	}
	return l.page.to(chapter) + listingHref(at.file, at.line)
}

// firstTo gives a library's name a link where the page first has it, and its
// fields and methods none: they are on the page of what they belong to. Links to
// all of them at all places would make up a twentieth of a chapter's page; the
// listings have them.
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
		return "", "" // what is folded away has it, so that a link to it opens nothing
	}
	if l.owned {
		return l.chapter.definitionID(l.file, name), ""
	}
	return "", l.To(l.chapter.Code.importPath(l.file), name)
}

// Local gives what is defined in the same piece no link: it is in sight, and
// such links would make up a tenth of a chapter's page. On the listing, one
// click on the file's name away, they are all there.
func (l *pageLinks) Local(offset int) string {
	for _, r := range l.runs {
		if r.start <= offset && offset < r.end {
			return ""
		}
	}
	return l.page.to(l.chapter) + listingHref(l.file, l.file.Line(offset))
}

// listingLinks are the links of a whole file on its listing. Uses lead to
// listings; definitions lead to where the chapter shows them.
type listingLinks struct {
	page *page
	file *source.File
}

func (l *listingLinks) To(pkg, name string) string {
	chapter, at, outside := l.page.volume.destination(pkg, name)
	switch {
	case chapter == nil:
		return outside
	case at.file == nil:
		return l.page.to(chapter) + "index.html"
	case at.file == l.file:
		return fmt.Sprintf("#L%d", at.line)
	}
	return l.page.to(chapter) + listingHref(at.file, at.line)
}

func (l *listingLinks) Define(name string) (id, href string) {
	c := l.page.chapter
	at, ok := c.Code.places[object{c.Code.importPath(l.file), name}]
	if !ok || !c.coverage.shows(at.file, at.line) {
		return "", ""
	}
	return "", l.page.at(c.coverage.part(at.file, at.line), c.definitionID(l.file, name))
}

func (l *listingLinks) Local(offset int) string {
	return fmt.Sprintf("#L%d", l.file.Line(offset))
}
