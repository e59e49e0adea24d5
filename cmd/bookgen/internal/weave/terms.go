package weave

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// terms returns the book's words: a list of links to where each is explained, each
// with a link to its code, if it has any, with the other names of its word and, in a
// paragraph of its own, with a sentence that says what it is. Every link leads to a heading or a declaration,
// and no name is said twice.
func (v *volume) terms() ([]site.Term, error) {
	if v.book.Terms == nil {
		return nil, nil
	}
	g := &glossary{page: v.page(nil, nil, ""), doc: v.book.Terms, said: map[string]bool{}}
	var terms []site.Term
	for _, e := range g.entries() {
		if g.volume.unread(e.place.Path) {
			continue // the reason was reported
		}
		terms = append(terms, g.term(e))
	}
	return terms, source.Join(g.errs...)
}

// glossary is the page of words while it is read.
type glossary struct {
	*page
	doc  *book.Document
	said map[string]bool // names
}

// A line of the list leads to the place that explains a word and, if it has a second
// link, to the code that builds it.
type line struct {
	place book.Reference
	code  *book.Reference
}

// entries returns the lines of the list.
func (g *glossary) entries() []line {
	var lines []line
	for _, ref := range g.doc.References() {
		paragraph := ref.Node.Parent()
		switch item := paragraph.Parent(); {
		case item.Kind() != ast.KindListItem || item.FirstChild() != paragraph:
		case paragraph.FirstChild() == ref.Node:
			lines = append(lines, line{place: ref})
		case len(lines) > 0:
			lines[len(lines)-1].code = &ref
		}
	}
	return lines
}

func (g *glossary) term(l line) site.Term {
	ref := l.place
	_, others, _ := strings.Cut(g.doc.Text(ref.Node.Parent()), ": ")
	t := site.Term{Name: ref.Text, Others: others}
	href, err := g.Href(g.doc, ref)
	if err == nil && ref.Fragment == "" {
		err = fmt.Errorf("a term leads to a heading or a declaration, and not to a whole file")
	}
	t.Place = site.Use{Href: href, Label: g.labelOf(ref)}
	if l.code != nil && err == nil {
		t.Code.Label = l.code.Text
		t.Code.Href, err = g.Href(g.doc, *l.code)
	}
	for _, name := range append(strings.Split(t.Others, ", "), t.Name) {
		if err == nil && g.said[name] {
			err = fmt.Errorf("%q is said twice", name)
		}
		g.said[name] = true
	}
	meaning := ref.Node.Parent().NextSibling()
	if err == nil && (meaning == nil || meaning.Kind() != ast.KindParagraph || meaning.NextSibling() != nil) {
		err = fmt.Errorf("below %q stands one paragraph that says what it is", t.Name)
	}
	if err != nil {
		g.fail(g.doc, ref.Line, err)
		return t
	}
	t.Text = strings.Join(strings.Fields(g.doc.Text(meaning)), " ")
	t.Meaning = g.resolved(g.doc, meaning)
	return t
}

// labelOf names the place where a term is explained: the part that shows it, or else
// its file.
func (g *glossary) labelOf(ref book.Reference) string {
	chapter, name, err := g.find(ref.Path)
	if err != nil {
		return "" // as href has reported
	}
	part := chapter.Part(name)
	if part == nil {
		ref.Path = name
		part, _, _, _ = chapter.Where(ref) // an error is reported likewise
	}
	if part == nil {
		return fmt.Sprintf("%d · %s", chapter.Number, name)
	}
	return fmt.Sprintf("%s · %s", part.Page(), part.Title)
}

// unread reports whether a path leads into a chapter that is written and could
// not be read.
func (v *volume) unread(name string) bool {
	slug, _, _ := strings.Cut(name, "/")
	for _, c := range v.book.Chapters {
		if c.Slug == slug {
			return c.Written && v.chapters[slug] == nil
		}
	}
	return false
}
