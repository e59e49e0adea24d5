package ebook

import (
	"fmt"
	"html/template"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/site"
)

// A page is a file that is read.
type page struct {
	site.Leaf
	Book     *epub
	File     string // its path from the package document
	Markup   string // the body, as XML
	Map      string // of the chapter that the page opens, as XML; likewise
	template string // if it is not that of all others
	drawings bool
}

// pages returns what is read, in its order. Its links are not yet bound.
func (e *epub) pages() []*page {
	var pages []*page
	add := func(name string, leaf site.Leaf) {
		pages = append(pages, &page{Leaf: leaf, Book: e, File: xhtml(leaf.Path), template: name})
	}
	add("cover.xhtml", site.Leaf{Path: "cover.html", Title: "Cover"})
	add("title.xhtml", site.Leaf{Path: "index.html", Title: e.Title})
	add("nav.xhtml", site.Leaf{Path: site.Pages["contents"], Title: "Contents"})
	for _, leaf := range site.Leaves(e.Book) {
		add("", leaf)
	}
	add("", site.Leaf{
		Path: site.Pages["words"], Title: "Words", Body: e.words(),
		Summary: "What each of them is, in a sentence; where it is built; and what others call it.",
	})
	for _, name := range e.texts(".txt") {
		text := template.HTMLEscapeString(string(e.Texts[name]))
		add("", site.Leaf{Path: name, Title: path.Base(name), Body: template.HTML("<pre class=text>" + text + "</pre>")})
	}
	leaves := make([]site.Leaf, len(pages))
	for i, p := range pages {
		leaves[i] = p.Leaf
	}
	e.places = site.AnchorsOf(leaves)
	return pages
}

// texts returns the names of the files that pages lead to, of one kind.
func (e *epub) texts(ext string) []string {
	var names []string
	for name := range e.Texts {
		if path.Ext(name) == ext {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// xhtml returns the file of a page of the site.
func xhtml(page string) string { return strings.TrimSuffix(page, path.Ext(page)) + ".xhtml" }

// bind writes the page's markup, and notes where pages begin in it.
func (e *epub) bind(p *page) {
	t := &typesetter{begin: func() string {
		e.Breaks = append(e.Breaks, place{File: p.File})
		last := &e.Breaks[len(e.Breaks)-1]
		last.Title = fmt.Sprint(len(e.Breaks))
		last.ID = "page-" + last.Title
		return fmt.Sprintf(`<span epub:type="pagebreak" role="doc-pagebreak" id="%s" aria-label="%s"/>`, last.ID, last.Title)
	}}
	p.Markup = t.typeset(p.Bind(p))
	m := &typesetter{}
	if p.Kind == site.Opening {
		p.Map = m.typeset(p.Chapter.Map)
	}
	p.drawings = t.drawings || m.drawings
}

// ID implements site.Binder: each page has its ids for itself.
func (p *page) ID(_, id string) string { return id }

// Lead implements site.Binder. Where a page is there and the element is not, it leads to
// the page.
func (p *page) Lead(to, id string) string {
	if _, ok := p.Book.places[to]; !ok {
		return ""
	}
	if _, ok := p.Book.places[to+"#"+id]; !ok {
		id = ""
	}
	way := url.URL{Path: p.To(xhtml(to)), Fragment: id}
	if to == p.Path {
		way.Path = ""
	}
	return way.String()
}

// To returns the way to a file.
func (p *page) To(file string) string {
	way, err := filepath.Rel(filepath.FromSlash(path.Dir(p.File)), filepath.FromSlash(file))
	if err != nil {
		panic(err) // both lie below one folder
	}
	return filepath.ToSlash(way)
}

// properties returns what the package document has to know of the page.
func (p *page) properties() string {
	switch {
	case p.template == "nav.xhtml":
		return "nav"
	case p.drawings || p.template == "cover.xhtml":
		return "svg"
	}
	return ""
}

// Types returns what the page is in a book, as the vocabulary of EPUB has it, and the
// role by which those know it who have it read aloud.
func (p *page) Types() string {
	switch p.Kind {
	case site.Preface:
		return `epub:type="preface" role="doc-preface"`
	case site.Opening:
		return `epub:type="chapter" role="doc-chapter"`
	case site.Compared:
		return `epub:type="appendix" role="doc-appendix"`
	}
	if p.Path == site.Pages["words"] {
		return `epub:type="glossary" role="doc-glossary"`
	}
	return `epub:type="subchapter"`
}

// words returns the body of the page of words.
func (e *epub) words() template.HTML {
	content, err := execute("words.html", e.Words())
	if err != nil {
		panic(err) // our own template, over our own type
	}
	return template.HTML(content)
}

// A line of the cover.
type line struct {
	Text string
	Y    int
}

// CoverLines returns the subtitle in lines that the cover has room for.
func (e *epub) CoverLines() []line {
	const signs, first, leading = 36, 200, 32
	var lines []line
	for _, word := range strings.Fields(e.Subtitle) {
		if last := len(lines) - 1; last >= 0 && len(lines[last].Text)+len(word) < signs {
			lines[last].Text += " " + word
			continue
		}
		lines = append(lines, line{word, first + leading*len(lines)})
	}
	return lines
}

// Loop returns the drawing of the front page.
func (e *epub) Loop() string { return new(typesetter).typeset(site.LoopDrawing()) }
