package weave

import (
	"fmt"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
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
		if p.chapter != nil && !p.below {
			p.chapter.counts.Links++
		}
	}
}

// weaveInline puts an element in the place of a link, and keeps the link's
// words for who counts and searches.
func (p *page) weaveInline(link ast.Node, element element) {
	if p.chapter != nil && !p.below {
		p.chapter.counts.count(element)
	}
	n := &inline{element: element}
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
// path: "queue.go" is of the page's own chapter, "../02-x/y.go" of another;
// on the front page "02-x/y.go".
func (p *page) find(name string) (*Chapter, string, error) {
	inside, elsewhere := strings.CutPrefix(name, "../")
	if !elsewhere && p.chapter != nil {
		return p.chapter, name, nil
	}
	slug, rest, _ := strings.Cut(inside, "/")
	if chapter := p.volume.chapters[slug]; chapter != nil && rest != "" {
		return chapter, rest, nil
	}
	if p.chapter != nil && p.chapter.exists(inside) == nil {
		return p.chapter, inside, nil // from the exercises' folder
	}
	for _, c := range p.volume.book.Chapters {
		if c.Slug == slug {
			return nil, "", fmt.Errorf("dead link: chapter %s is not written yet", slug)
		}
	}
	return nil, "", fmt.Errorf("dead link: %s is not in the book", name)
}

// href returns the address of what a reference inside a sentence names.
func (p *page) href(doc *book.Document, ref book.Reference) (string, error) {
	if ref.Path == "" {
		p.volume.anchors = append(p.volume.anchors, anchor{doc, ref.Line, p.slug(), ref.Fragment})
		return "#" + ref.Fragment, nil
	}
	chapter, name, err := p.find(ref.Path)
	if err != nil {
		return "", err
	}
	if name == "chapter.md" {
		return p.toChapter(doc, ref, chapter), nil
	}
	if err := chapter.exists(name); err != nil {
		return "", fmt.Errorf("dead link: %w", err)
	}
	ref.Path = name
	id, listing, err := chapter.where(ref)
	switch {
	case err != nil:
		return "", err
	case id == "":
		return p.to(chapter) + listing, nil
	case chapter == p.chapter && !p.below:
		return "#" + id, nil
	}
	return p.to(chapter) + "index.html#" + id, nil
}

func (p *page) toChapter(doc *book.Document, ref book.Reference, chapter *Chapter) string {
	href := p.to(chapter) + "index.html"
	if ref.Fragment != "" {
		p.volume.anchors = append(p.volume.anchors, anchor{doc, ref.Line, chapter.Slug, ref.Fragment})
		href += "#" + ref.Fragment
	}
	return href
}

// to returns the way from the page's folder to a chapter's.
func (p *page) to(chapter *Chapter) string {
	up := ""
	if p.below {
		up = "../"
	}
	switch p.chapter {
	case chapter:
		return up
	case nil:
		return chapter.Slug + "/"
	}
	return up + "../" + chapter.Slug + "/"
}

// where returns the id on the chapter's page that shows what a reference
// names, or else the address of a listing.
func (c *Chapter) where(ref book.Reference) (id, listing string, err error) {
	if strings.HasPrefix(ref.Path, "exercises/") {
		return "exercise-" + strings.TrimSuffix(path.Base(ref.Path), ".md"), "", nil
	}
	if path.Ext(ref.Path) == ".go" {
		return c.whereCode(ref)
	}
	if !listed(ref.Path) {
		return "", "", fmt.Errorf("dead link: %s has no page", ref.Path)
	}
	if c.parts[address(ref)+" "] || ref.Fragment != "" && c.parts[address(ref)] {
		return elementID(ref.Path, ref.Fragment), "", nil
	}
	if ref.Fragment != "" {
		return "", "", fmt.Errorf("dead link: %s is not woven in", address(ref))
	}
	return "", ref.Path + ".html", nil
}

func (c *Chapter) whereCode(ref book.Reference) (id, listing string, err error) {
	file := c.Code.File(ref.Path)
	if ref.Fragment == "" {
		return "", file.Name + ".html", nil
	}
	if region := file.Region(ref.Fragment); region != nil {
		if c.coverage.shows(file, region.Line) {
			return elementID(file.Name, region.Name), "", nil
		}
		return "", listingHref(file, region.Line), nil
	}
	decl, err := c.Code.Lookup(file.Name, ref.Fragment)
	if err != nil {
		return "", "", err
	}
	place, ok := c.places[object{c.importPath(file), ref.Fragment}]
	if !ok {
		return "", listingHref(file, decl.Line), nil
	}
	if c.coverage.shows(file, place.line) {
		return c.definitionID(file, ref.Fragment), "", nil
	}
	return "", listingHref(file, place.line), nil
}

// listingHref is the address of a line on the listing of a file, from the page
// of its chapter.
func listingHref(file *source.File, line int) string {
	return fmt.Sprintf("%s.html#L%d", file.Name, line)
}
