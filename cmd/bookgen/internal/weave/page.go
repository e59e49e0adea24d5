package weave

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// page is a page while it is rendered. The front page has no chapter, nor have
// those beside the chapters.
type page struct {
	volume  *volume
	chapter *Chapter
	part    *book.Part // nil on pages of no chapter and on the pages of files
	file    string     // of a page beside the chapters: "how-to-read.html"
	folder  string     // of the page on the site: "01-control-loop/exercises"
	teaches bool       // it is of a course: its texts stand in other folders than the page
	mark    string     // stands before the ids of its figures
	errs    []error
	linked  map[string]bool // addresses outside of the book that it has led to
}

// render turns a text of the page into HTML.
func (p *page) render(doc *book.Document) string {
	p.resolveLinks(doc)
	return p.resolved(doc)
}

// resolved renders a text whose links have been resolved.
func (p *page) resolved(doc *book.Document) string {
	var b strings.Builder
	if err := p.renderer(doc).Render(&b, doc.Source, doc.Root); err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", doc.File, err))
	}
	return b.String()
}

// inner turns the words of a paragraph into HTML.
func (p *page) inner(doc *book.Document, paragraph ast.Node) string {
	var b strings.Builder
	render := p.renderer(doc)
	for child := paragraph.FirstChild(); child != nil; child = child.NextSibling() {
		if err := render.Render(&b, doc.Source, child); err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %w", doc.File, err))
		}
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
	doc      *book.Document
	line     int
	page, id string
}

// name returns what the page's ids are kept under: its folder or, beside the
// chapters, its file.
func (p *page) name() string { return cmp.Or(p.file, p.folder) }

func (v *volume) deadAnchors() error {
	var errs []error
	for _, a := range v.anchors {
		if !v.ids[a.page][a.id] {
			where := cmp.Or(a.page, "the page")
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
