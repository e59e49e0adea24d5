package ebook

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
)

// A page is a file that is read.
type page struct {
	site.Leaf
	Book   *epub
	File   string // its path from the package document
	Markup string // the body, as XML
	Map    string // of the chapter that the page opens; likewise

	properties string // as the package document names them
}

// The kinds of pages that the site lacks, or has in another form.
const (
	cover    site.LeafKind = "cover"
	title    site.LeafKind = "title"
	contents site.LeafKind = "contents"
	words    site.LeafKind = "words"
	licence  site.LeafKind = "licence"
)

// kinds say how pages are made, what they are in the vocabulary of EPUB and for those who
// have them read aloud, and what a reader's button to the first of them says.
var kinds = map[site.LeafKind]struct{ template, attributes, landmark, button string }{
	cover:         {"cover.xhtml", `epub:type="cover"`, "cover", "Cover"},
	title:         {"title.xhtml", `epub:type="titlepage"`, "titlepage", "Title page"},
	contents:      {"nav.xhtml", "", "toc", "Contents"},
	site.Preface:  {"page.xhtml", `epub:type="preface" role="doc-preface"`, "preface", "How to read it"},
	site.Opening:  {"page.xhtml", `epub:type="chapter" role="doc-chapter"`, "bodymatter", "The first chapter"},
	site.Reading:  {"page.xhtml", `epub:type="subchapter"`, "", ""},
	site.After:    {"page.xhtml", `epub:type="subchapter"`, "", ""},
	site.Compared: {"page.xhtml", `epub:type="appendix" role="doc-appendix"`, "appendix", "Ours and Kubernetes’"},
	site.Exercise: {"page.xhtml", `epub:type="subchapter"`, "", ""},
	words:         {"page.xhtml", `epub:type="glossary" role="doc-glossary"`, "glossary", "Words"},
	licence:       {"page.xhtml", `epub:type="copyright-page"`, "copyright-page", "Licence"},
}

// Attributes returns the attributes of the element that holds the whole page.
func (p *page) Attributes() string { return kinds[p.Kind].attributes }

// leaves returns the leaves of the e-book in reading order.
func (e *epub) leaves() []site.Leaf {
	all := []site.Leaf{
		{Kind: cover, Path: "cover.html", Title: "Cover"},
		{Kind: title, Path: "index.html", Title: e.Title},
		{Kind: contents, Path: site.Pages["contents"], Title: "Contents"},
	}
	for _, leaf := range site.Leaves(e.Book) {
		if e.Licence != nil && leaf.Path == e.Licence.File {
			leaf.Kind = licence
		}
		all = append(all, leaf)
	}
	all = append(all, site.Leaf{
		Kind: words, Path: site.Pages["words"], Title: "Words", Body: node.Parse(string(e.made("words.html", e.Words()))),
		Summary: "What each of them is, in a sentence; where it is built; and what others call it. Beside each stands its name in Chinese.",
	})
	for _, name := range e.texts(".txt") {
		all = append(all, site.Leaf{Kind: licence, Path: name, Title: path.Base(name), Body: paragraphs(string(e.Texts[name]))})
	}
	return all
}

// texts returns the names of the files of one kind that pages need.
func (e *epub) texts(ext string) []string {
	names := slices.Sorted(maps.Keys(e.Texts))
	return slices.DeleteFunc(names, func(name string) bool { return path.Ext(name) != ext })
}

// bind makes the pages, and notes where those of paper would begin in them.
func (e *epub) bind() {
	leaves := e.leaves()
	e.places = site.AnchorsOf(leaves)
	for _, leaf := range leaves {
		p := &page{Leaf: leaf, Book: e, File: xhtml(leaf.Path)}
		body := p.typeset()
		p.Markup = body.XML()
		switch p.Kind {
		case contents:
			p.properties = "nav"
		case cover:
			e.Cover = drawn(node.Parse(string(site.LoopDrawing())))
		case site.Opening:
			p.Map = drawn(p.Chapter.Map)
		}
		if p.Kind == cover || p.Map != "" || body.Find("svg", "") != nil {
			p.properties = "svg"
		}
		e.Pages = append(e.Pages, p)
	}
}

// xhtml returns the file of a page of the site.
func xhtml(page string) string { return strings.TrimSuffix(page, path.Ext(page)) + ".xhtml" }

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
func (p *page) To(file string) string { return node.Relative(p.File, file) }

// Name returns the title of the page, with its number if it has one: 1.2 · The kubelet.
// That of the first page of a chapter is not the chapter's.
func (p *page) Name() string {
	number, title := p.Number, p.Title
	if p.Kind == site.Opening {
		number, title = p.Chapter.Parts[0].Page, p.Chapter.Parts[0].Title
	}
	return strings.TrimPrefix(fmt.Sprint(number, " · ", title), " · ")
}
