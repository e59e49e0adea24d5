package weave

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// page is a page while it is rendered. The front page has no chapter.
type page struct {
	volume  *volume
	chapter *Chapter
	part    *book.Part // nil on the front page and on the pages of files
	folder  string     // of the page on the site: "01-control-loop/exercises"
	errs    []error
	linked  map[string]bool // addresses outside of the book that it has led to
}

// render turns a text of the page into HTML.
func (p *page) render(doc *book.Document) string {
	p.resolveLinks(doc)
	var b strings.Builder
	if err := p.renderer(doc).Render(&b, doc.Source, doc.Root); err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", doc.File, err))
	}
	return b.String()
}

func (p *page) fail(doc *book.Document, line int, err error) {
	p.errs = append(p.errs, at(doc, line, err))
}

// ids are the targets that a rendered page has.
type ids map[string]bool

var idAttribute = regexp.MustCompile(` id=(?:"([^"]*)"|([^ >"]+))`)

// idsIn finds the ids of markup in which every < and > of the text is escaped.
func idsIn(body string) ids {
	found := ids{}
	for _, m := range idAttribute.FindAllStringSubmatchIndex(body, -1) {
		before := body[:m[0]]
		if strings.LastIndexByte(before, '<') > strings.LastIndexByte(before, '>') {
			found[html.UnescapeString(idAttribute.ReplaceAllString(body[m[0]:m[1]], "$1$2"))] = true
		}
	}
	return found
}

// anchor is a link into a page that may not be rendered yet.
type anchor struct {
	doc        *book.Document
	line       int
	folder, id string
}

func (v *volume) deadAnchors() error {
	var errs []error
	for _, a := range v.anchors {
		if !v.ids[a.folder][a.id] {
			where := "the page"
			if a.folder != "" {
				where = a.folder
			}
			errs = append(errs, source.At(a.doc.File, a.line, "dead link: nothing on %s has the id %q", where, a.id))
		}
	}
	return source.Join(errs...)
}

// quoted returns an attribute's value, in quotes if it needs them.
func quoted(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\n\"'=<>`&") {
		return value
	}
	return `"` + html.EscapeString(value) + `"`
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escaped returns text between tags, where quotes need no escape.
func escaped(text string) string { return escaper.Replace(text) }
