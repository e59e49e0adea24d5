package weave

import (
	"fmt"
	"html/template"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// home renders the front page. It may show code, captured output, manifests and
// figures of the chapters, each by its path below the folder of chapters, and
// numbers and links as the chapters have them. Code on the front page does not
// count as shown in the chapter, and its names lead there.
func (v *volume) home() (template.HTML, error) {
	doc := v.book.Home
	errs := []error{replaceFences(doc, true)}
	p := &page{volume: v}
	guests := map[*Chapter]*Chapter{}
	for _, ref := range doc.References() {
		if !ref.Alone || ref.External() || ref.Path == "" || path.Ext(ref.Path) == ".md" && !strings.Contains(ref.Path, "/exercises/") {
			continue
		}
		element, err := p.guestElement(guests, ref)
		if err != nil {
			errs = append(errs, at(doc, ref.Line, err))
			element = nothing{}
		}
		replace(ref.Node.Parent(), &block{element: element, line: ref.Line})
	}
	body := p.render(doc)
	v.ids[""] = idsIn(body)
	return template.HTML(body), source.Join(append(errs, p.errs...)...)
}

// guestElement resolves a reference into a chapter from outside of it.
func (p *page) guestElement(guests map[*Chapter]*Chapter, ref book.Reference) (element, error) {
	chapter, name, err := p.find(ref.Path)
	if err != nil {
		return nil, err
	}
	if chapter.program(name) != nil {
		return nil, fmt.Errorf("a package is shown in its chapter; in a sentence, link to it")
	}
	if strings.HasPrefix(name, "exercises/") {
		return nil, fmt.Errorf("an exercise is shown in its chapter; in a sentence, link to it")
	}
	if guests[chapter] == nil {
		guests[chapter] = chapter.guest()
	}
	ref.Path = name
	element, err := guests[chapter].element(ref)
	if piece, ok := element.(*piece); ok {
		piece.visit(chapter)
	}
	return element, err
}

// guest returns the chapter with nothing shown yet: pieces of it on another
// page change nothing on its own.
func (c *Chapter) guest() *Chapter {
	guest := *c
	guest.coverage = c.newCoverage()
	guest.woven, guest.answers, guest.cards = map[string]*book.Part{}, map[string][]*book.Part{}, map[string]*book.Part{}
	guest.latest = map[*source.File]int{}
	return &guest
}

// visit makes a piece one that is shown a second time, away from home: it loses
// the file's head and its place in the file, and its definitions are links to
// the first.
func (c *piece) visit(home *Chapter) {
	c.chapter, c.head, c.after = home, nil, ""
	for i := range c.runs {
		c.runs[i].owned = false
	}
}
