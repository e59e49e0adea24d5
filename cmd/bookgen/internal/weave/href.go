package weave

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/snippet"
)

// resolveLinks gives every link inside a sentence its address on the site, and
// takes numbers from recorded runs.
func (p *page) resolveLinks(doc *book.Document) {
	for _, ref := range doc.References() {
		if ref.Picture {
			p.fail(doc, ref.Line, fmt.Errorf("a picture stands alone in a paragraph of a chapter"))
			continue
		}
		if ref.External() {
			continue
		}
		if ref.Path == bookFile && p.chapter == nil {
			p.ofTheBook(doc, ref)
			continue
		}
		if element, err := p.numberOf(ref); element != nil || err != nil {
			if err != nil {
				p.fail(doc, ref.Line, err)
				continue
			}
			p.weaveInline(ref.Node, element)
			continue
		}
		href, err := p.href(doc, ref)
		if err != nil {
			p.fail(doc, ref.Line, err)
			continue
		}
		ref.Node.(*ast.Link).Destination = []byte(href)
		if p.part != nil {
			p.chapter.counts.Links++
		}
	}
}

// weaveInline puts an element in the place of a link, and keeps the link's
// words for counts and for the search.
func (p *page) weaveInline(link ast.Node, element element) {
	if p.part != nil {
		p.chapter.counts.count(element)
	}
	n := &prose.Inline{Element: element}
	replace(link, n)
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		n.AppendChild(n, child)
	}
}

// numberOf returns nil for a reference that is no number.
func (p *page) numberOf(ref book.Reference) (element, error) {
	if path.Ext(ref.Path) != ".json" {
		return nil, nil
	}
	chapter, name, err := p.find(ref.Path)
	switch {
	case err != nil:
		return nil, err
	case ref.Fragment == "":
		return nil, fmt.Errorf("a number of %s needs its path behind a #", ref.Path)
	}
	ref.Path = name
	return chapter.quantity(ref)
}

// find returns the written chapter that a path leads into, and the rest of the
// path: "queue.go" is of the page's own chapter, "../02-x/y.go" of another; on
// a page of no chapter "02-x/y.go".
func (p *page) find(name string) (*Chapter, string, error) {
	inside, elsewhere := strings.CutPrefix(name, "../")
	if !elsewhere && p.chapter != nil {
		return p.chapter, name, nil
	}
	slug, rest, _ := strings.Cut(inside, "/")
	if chapter := p.volume.chapters[slug]; chapter != nil && rest != "" {
		return chapter, rest, nil
	}
	if p.chapter != nil && (p.chapter.exists(inside) == nil || p.chapter.Program(inside) != nil) {
		return p.chapter, inside, nil // from the exercises' folder
	}
	for _, c := range p.volume.book.Chapters {
		if c.Slug == slug {
			return nil, "", fmt.Errorf("dead link: chapter %s is not written yet", slug)
		}
	}
	return nil, "", fmt.Errorf("dead link: %s is not in the book", name)
}

// href returns the address that a reference inside a sentence leads to.
func (p *page) href(doc *book.Document, ref book.Reference) (string, error) {
	if ref.Path == "" {
		p.volume.anchors = append(p.volume.anchors, anchor{doc, ref.Line, p.file, ref.Fragment})
		return "#" + ref.Fragment, nil
	}
	if beside := p.beside(ref.Path); beside != nil {
		return p.toBeside(doc, ref, beside), nil
	}
	if name, ok := strings.CutPrefix(ref.Path, "../"); ok && p.chapter == nil && !strings.Contains(name, "/") {
		return p.toFile(doc, name)
	}
	chapter, name, err := p.find(ref.Path)
	if err != nil {
		return "", err
	}
	if part := chapter.Part(name); part != nil {
		return p.toText(doc, ref, part), nil
	}
	if slices.Contains(chapter.Unread, name) {
		return "", nil // that it cannot be read is reported already
	}
	if program := chapter.Program(name); program != nil {
		return chapter.Front(program), nil
	}
	if err := chapter.exists(name); err != nil {
		return "", fmt.Errorf("dead link: %w", err)
	}
	if e := chapter.exercise(name); e != nil {
		return chapter.cardAddress(e.Number), nil
	}
	ref.Path = name
	part, id, listing, err := chapter.where(ref)
	switch {
	case err != nil:
		return "", err
	case part == nil:
		return listing, nil
	}
	return snippet.AddressOn(part, id), nil
}

// beside returns the page beside the chapters that a path leads to, or nil:
// "../how-to-read.md" in a chapter's text.
func (p *page) beside(name string) *book.Page {
	for _, beside := range p.volume.book.Beside {
		if p.up()+beside.Name == name {
			return beside
		}
	}
	return nil
}

// up returns the way from the page's text to the folder of the chapters.
func (p *page) up() string {
	switch {
	case p.chapter == nil: // of a course, its author's way there is cut off
		return ""
	case p.teaches || p.part != nil: // a part's page may lie a folder deeper
		return "../"
	}
	return "../../" // from the exercises' folder
}

// toBeside returns the address of a page beside the chapters, or of a heading
// in it.
func (p *page) toBeside(doc *book.Document, ref book.Reference, beside *book.Page) string {
	href := besideFile(beside)
	if ref.Fragment == "" {
		return href
	}
	p.volume.anchors = append(p.volume.anchors, anchor{doc, ref.Line, href, ref.Fragment})
	return href + "#" + ref.Fragment
}

// toFile returns the address of a file that lies beside the folder of the chapters,
// "../LICENSE" on a page of no chapter. The site has a copy, which browsers show.
func (p *page) toFile(doc *book.Document, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(filepath.Dir(doc.File), "..", name))
	if err != nil {
		return "", fmt.Errorf("dead link: there is no file %s beside the folder of the chapters", name)
	}
	return p.asset(name+".txt", content), nil
}

// toText returns the address of a part, or of a heading in it.
func (p *page) toText(doc *book.Document, ref book.Reference, part *book.Part) string {
	if ref.Fragment != "" {
		p.volume.anchors = append(p.volume.anchors, anchor{doc, ref.Line, part.Slug, ref.Fragment})
	}
	return snippet.AddressOn(part, ref.Fragment)
}

// where returns the part that shows a reference, and the element's id on its
// page, or else, without a part, the address of a listing.
func (c *Chapter) where(ref book.Reference) (part *book.Part, id, listing string, err error) {
	if strings.HasPrefix(ref.Path, "exercises/") {
		number := strings.TrimSuffix(path.Base(ref.Path), ".md")
		return c.cardPart(number), "exercise-" + number, "", nil
	}
	if isCode(ref.Path) {
		return c.WhereCode(ref)
	}
	if !c.listed(ref.Path) {
		return nil, "", "", fmt.Errorf("dead link: %s has no page", ref.Path)
	}
	if ref.Fragment == "" {
		return nil, "", c.ListingOf(ref.Path), nil
	}
	if part := c.Woven[snippet.Address(ref)+" "]; part != nil {
		return part, snippet.ElementID(ref.Path, ref.Fragment), "", nil
	}
	if len(c.Unread) > 0 {
		return nil, "", "", nil // it may be woven into what cannot be read
	}
	return nil, "", "", fmt.Errorf("dead link: %s is not woven in", snippet.Address(ref))
}

// cardAddress returns the address of an exercise's card.
func (c *Chapter) cardAddress(number string) string {
	if beside := c.Lent[number]; beside != nil {
		return besideFile(beside) + "#exercise-" + number
	}
	return snippet.AddressOn(c.cardPart(number), "exercise-"+number)
}

// cardPart returns the part that shows an exercise.
func (c *Chapter) cardPart(number string) *book.Part {
	if part := c.cards[number]; part != nil {
		return part
	}
	return c.Parts[0] // a card that is on no page is reported elsewhere
}
