package site

import (
	"fmt"
	"html/template"
	"net/url"
	"path"

	"golang.org/x/net/html"
)

// A Leaf is a page of the site as it stands in a bound book: on paper, or in an
// e-book.
type Leaf struct {
	Path           string // of the page on the site, by which others lead to it
	Kind           LeafKind
	Number         string // "1.2", or empty
	Title, Summary string
	Chapter        *Chapter // nil beside the chapters
	Initial        bool     // Body begins with a paragraph that is long enough for one
	Body           template.HTML
}

// A LeafKind says where in a bound book a leaf stands.
type LeafKind string

// The kinds of leaves, in their order in the book.
const (
	Preface  LeafKind = "preface"  // how to read it
	Opening  LeafKind = "opening"  // the first part of a chapter, with the chapter's title
	Reading  LeafKind = "reading"  // another part
	After    LeafKind = "after"    // what stands beside the chapters
	Compared LeafKind = "compared" // how a chapter differs from Kubernetes: an appendix
	Exercise LeafKind = "exercise" // what there is to do, hints, answers
)

// Leaves returns the text of the book in the order in which it is bound. The
// front page, the indexes and the listings of code are not among them.
func Leaves(b *Book) []Leaf {
	var text, compared, exercises []Leaf
	for _, c := range b.Chapters {
		for i, p := range c.Parts {
			leaf := Leaf{p.Path(), Reading, p.Page, p.Title, p.Summary, c, p.Initial, p.Body}
			switch {
			case p.Compared:
				leaf.Kind, leaf.Title = Compared, fmt.Sprintf("%d · %s", c.Number, c.Title)
				compared = append(compared, leaf)
				continue
			case i == 0:
				leaf.Kind, leaf.Number, leaf.Title, leaf.Summary = Opening, fmt.Sprint(c.Number), c.Title, c.Summary
			}
			text = append(text, leaf)
		}
		for _, l := range c.Listings {
			if l.Prose {
				exercises = append(exercises, Leaf{Path: c.Slug + "/" + l.File + ".html", Kind: Exercise, Title: l.Title, Chapter: c, Body: l.Body})
			}
		}
	}
	var preface, after []Leaf
	for i, p := range b.Beside {
		leaf := Leaf{Path: p.File, Kind: After, Title: p.Title, Summary: p.Summary, Body: p.Body}
		if i == 0 {
			leaf.Kind = Preface
			preface = append(preface, leaf)
			continue
		}
		after = append(after, leaf)
	}
	all := append(preface, text...)
	return append(append(append(all, after...), compared...), exercises...)
}

// A Binder knows where everything is in a bound book.
type Binder interface {
	// ID returns the id in the book of an element of a page.
	ID(page, id string) string
	// Lead returns the address in the book of an element of a page or, without id,
	// of the page; empty if the book does not have it.
	Lead(page, id string) string
}

// Bind returns the body of a leaf as it stands in the book. A link to what the book
// does not have is none there.
func (l Leaf) Bind(to Binder) template.HTML {
	return eachTag(l.Body, func(tag *html.Token) (changed bool) {
		for i := 0; i < len(tag.Attr); i++ {
			a := &tag.Attr[i]
			was := a.Val
			switch a.Key {
			case "id", "aria-labelledby":
				a.Val = to.ID(l.Path, a.Val)
			case "href":
				a.Val = l.lead(to, a.Val)
			}
			changed = changed || a.Val != was
			if a.Key == "href" && a.Val == "" {
				tag.Attr = append(tag.Attr[:i], tag.Attr[i+1:]...)
				i--
			}
		}
		return changed
	})
}

func (l Leaf) lead(to Binder, href string) string {
	u, err := url.Parse(href)
	if err != nil || u.IsAbs() {
		return href
	}
	page := l.Path
	if u.Path != "" {
		page = path.Join(path.Dir(page), u.Path)
	}
	return to.Lead(page, u.Fragment)
}
