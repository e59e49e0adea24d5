package weave

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// bookFile is how texts of no chapter refer to the book as a whole: to its
// pages, and to how long it takes.
const bookFile = "book.md"

// home renders the front page.
func (v *volume) home() (node.List, error) {
	return v.outside(v.page(nil, nil, ""), v.book.Home)
}

// besides renders the pages beside the chapters.
func (v *volume) besides() error {
	var errs []error
	for _, b := range v.book.Beside {
		p := v.page(nil, nil, b.File())
		body, err := v.outside(p, b.Document)
		entries := sections(b.Document, p.File, site.SearchEntry{Title: b.Title, Href: p.File, Kind: "part"}, b.Summary)
		if b.Sentences {
			sentences(b.Document, entries)
		}
		entries = append(entries, stateEntries(b.Document, p.File)...)
		errs = append(errs, err)
		woven := &site.Beside{File: p.File, Title: b.Title, Summary: b.Summary, Search: b.Search, Index: b.Sentences, Body: body, Text: entries}
		_, woven.Sections = divided(b.Document)
		v.out.Beside = append(v.out.Beside, woven)
		switch b {
		case v.book.End:
			v.out.End = woven
		case v.book.Symptoms:
			v.out.Symptoms = woven
		case v.book.Licence:
			v.out.Licence = woven
		}
	}
	return source.Join(errs...)
}

// outside renders a page of no chapter. It may show code, captured output,
// manifests and figures of the chapters, each by its path below the folder of
// chapters, and numbers and links as the chapters have them. Code there does not
// count as shown in the chapter, and its names lead there.
func (v *volume) outside(p *page, doc *book.Document) (node.List, error) {
	errs := []error{replaceFences(doc, true)}
	for _, ref := range doc.References() {
		switch of := blocks[ref.Fragment]; {
		case !ref.Alone:
		case ref.Path == statesFile:
			state, err := v.state(doc, ref)
			if err != nil {
				errs, state = append(errs, at(doc, ref.Line, err)), nothing{}
			}
			replace(ref.Node.Parent(), &prose.Block{Element: state, Line: ref.Line})
		case of != nil && ref.Path == bookFile:
			replace(ref.Node.Parent(), &prose.Block{Element: of, Line: ref.Line})
		}
	}
	p.weaveGuests(doc)
	body := p.render(doc)
	v.links.Rendered(p.File, body)
	return body, source.Join(append(errs, p.errs...)...)
}

// weaveGuests replaces every paragraph that holds nothing but a reference into a
// chapter which is not the page's own.
func (p *page) weaveGuests(doc *book.Document) {
	guests := map[*Chapter]*Chapter{}
	for _, ref := range doc.References() {
		if !ref.Alone || ref.External() || ref.Path == "" || path.Ext(ref.Path) == ".md" && !strings.Contains(ref.Path, "/exercises/") {
			continue
		}
		element, err := p.guestElement(guests, ref)
		if err != nil {
			p.fail(doc, ref.Line, err)
			element = nothing{}
		}
		if p.Part != nil {
			p.chapter.counts.count(element)
		}
		replace(ref.Node.Parent(), &prose.Block{Element: element, Line: ref.Line})
	}
}

// ofTheBook resolves a reference to the book: it leads to a page that the site
// makes, or its words are replaced by what bookgen counts.
func (p *page) ofTheBook(doc *book.Document, ref book.Reference) {
	if href, ok := site.Pages[ref.Fragment]; ok {
		ref.Node.(*ast.Link).Destination = []byte(href)
		return
	}
	all := p.volume.counted()
	counted, ok := all[ref.Fragment]
	if !ok {
		known := slices.Sorted(maps.Keys(all))
		known = append(slices.Sorted(maps.Keys(site.Pages)), known...)
		p.fail(doc, ref.Line, fmt.Errorf("%s has no %q: it has %s", bookFile, ref.Fragment, strings.Join(known, ", ")))
		return
	}
	replace(ref.Node, &prose.Inline{Element: plain(counted)})
}

// counted returns what the site counts, and what is woven into it.
func (v *volume) counted() map[string]string {
	var sum Counts
	wrong := 0
	for _, c := range v.chapters {
		sum = sum.Add(c.Counts())
		for _, e := range c.Exercises {
			if e.Kind != exercise.Debug { // whose fault is none that a reader gives
				wrong += len(e.Wrong)
			}
		}
	}
	all := v.out.Counted()
	all["course-time"] = site.Duration(v.minutesAlone())
	all["woven-lines"] = figure.Quantity(float64(sum.Lines))
	all["given-lines"] = figure.Quantity(float64(sum.Given))
	all["outputs"] = fmt.Sprint(sum.Outputs)
	all["figures"] = fmt.Sprint(sum.Figures)
	all["wrong-answers"] = fmt.Sprint(wrong)
	if verdicts := v.book.Verdicts; verdicts != nil {
		played, same := verdicts.Printed()
		all["kubernetes"] = verdicts.Kubernetes
		all["scenes"] = fmt.Sprint(len(verdicts.Scenes))
		all["scenes-played"] = fmt.Sprint(played)
		all["scenes-same"] = fmt.Sprint(same)
	}
	return all
}

// plain is text that stands in the place of a reference.
type plain string

func (t plain) nodes(*page) node.List { return node.List{node.Text(string(t))} }

// times is the table of how long each chapter takes.
type times struct{}

func (times) nodes(p *page) node.List { return p.volume.out.Times() }

// cite is the lines to copy where the book's text is used.
type cite struct{}

func (cite) nodes(p *page) node.List {
	lines := &illustration{node.List{node.Text(p.volume.out.Cite())}, "for a last slide, or the foot of a page"}
	return lines.nodes(p)
}

// guestElement resolves a reference into a chapter from outside of it.
func (p *page) guestElement(guests map[*Chapter]*Chapter, ref book.Reference) (element, error) {
	chapter, name, err := p.find(ref.Path)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "exercises/") && !p.borrows(chapter, name) {
		return nil, fmt.Errorf("an exercise is shown in its chapter; in a sentence, link to it")
	}
	if guests[chapter] == nil {
		guest := *chapter
		guest.Chapter, guest.mark = chapter.Guest(), p.mark
		guests[chapter] = &guest
		if p.Part != nil { // listings say where
			guests[chapter].Coverage.Again = chapter.Coverage.Again
		}
	}
	ref.Path = name
	p.volume.lent[path.Join(chapter.Slug, name)+"#"+ref.Fragment] = true
	element, err := guests[chapter].element(ref)
	if code, ok := element.(code); ok {
		code.Visit(chapter.Chapter.Chapter)
	}
	return element, err
}

// borrows reports whether a page beside the chapters may show an exercise: one
// whose code is on no page of its chapter, nor is it itself.
func (p *page) borrows(c *Chapter, name string) bool {
	e := c.Exercise(name)
	if e == nil || c.Lent[e.Number] == nil {
		return false
	}
	return e.Apart() && c.Cards[e.Number] == nil && c.Lent[e.Number].File() == p.File
}
