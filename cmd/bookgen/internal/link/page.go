package link

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
)

// Page is a page that links stand on.
type Page struct {
	Part *book.Part // nil on pages of no chapter and on the pages of files
	File string     // what its ids are kept under: "how-to-read.html", "01-control-loop/the-kubelet"

	book    *Book
	chapter *Chapter        // nil on the front page and on those beside the chapters
	linked  map[string]bool // addresses outside of the book that it has led to
}

// Page returns a page of a chapter, or of none.
func (b *Book) Page(c *Chapter, part *book.Part, file string) *Page {
	return &Page{Part: part, File: file, book: b, chapter: c}
}

// Href returns the address that a reference inside a sentence leads to.
func (p *Page) Href(doc *book.Document, ref book.Reference) (string, error) {
	if ref.Path == "" {
		p.book.anchors = append(p.book.anchors, anchor{doc, ref.Line, p.File, ref.Fragment})
		return "#" + ref.Fragment, nil
	}
	if beside := p.beside(ref.Path); beside != nil {
		return p.toBeside(doc, ref, beside), nil
	}
	if name, ok := strings.CutPrefix(ref.Path, "../"); ok && p.chapter == nil && !strings.Contains(name, "/") {
		return p.toFile(doc, name)
	}
	chapter, name, err := p.Find(ref.Path)
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
	if err := chapter.Exists(name); err != nil {
		return "", fmt.Errorf("dead link: %w", err)
	}
	if e := chapter.Exercise(name); e != nil {
		return chapter.CardAddress(e.Number), nil
	}
	ref.Path = name
	part, id, listing, err := chapter.Where(ref)
	switch {
	case err != nil:
		return "", err
	case part == nil:
		return listing, nil
	}
	return snippet.AddressOn(part, id), nil
}

// Find returns the written chapter that a path leads into, and the rest of the
// path: "queue.go" is of the page's own chapter, "../02-x/y.go" of another; on
// a page of no chapter "02-x/y.go".
func (p *Page) Find(name string) (*Chapter, string, error) {
	inside, elsewhere := strings.CutPrefix(name, "../")
	if !elsewhere && p.chapter != nil {
		return p.chapter, name, nil
	}
	slug, rest, _ := strings.Cut(inside, "/")
	if chapter := p.book.chapters[slug]; chapter != nil && rest != "" {
		return chapter, rest, nil
	}
	if p.chapter != nil && (p.chapter.Exists(inside) == nil || p.chapter.Program(inside) != nil) {
		return p.chapter, inside, nil // from the exercises' folder
	}
	for _, c := range p.book.book.Chapters {
		if c.Slug == slug {
			return nil, "", fmt.Errorf("dead link: chapter %s is not written yet", slug)
		}
	}
	return nil, "", fmt.Errorf("dead link: %s is not in the book", name)
}

// beside returns the page beside the chapters that a path leads to, or nil:
// "../how-to-read.md" in a chapter's text.
func (p *Page) beside(name string) *book.Page {
	for _, beside := range p.book.book.Beside {
		if p.up()+beside.Name == name {
			return beside
		}
	}
	return nil
}

// up returns the way from the page's text to the folder of the chapters.
func (p *Page) up() string {
	switch {
	case p.chapter == nil: // of a course, its author's way there is cut off
		return ""
	case p.File == site.TeachFolder || p.Part != nil: // a part's page may lie a folder deeper
		return "../"
	}
	return "../../" // from the exercises' folder
}

// toBeside returns the address of a page beside the chapters, or of a heading
// in it.
func (p *Page) toBeside(doc *book.Document, ref book.Reference, beside *book.Page) string {
	href := beside.File()
	if ref.Fragment == "" {
		return href
	}
	p.book.anchors = append(p.book.anchors, anchor{doc, ref.Line, href, ref.Fragment})
	return href + "#" + ref.Fragment
}

// toFile returns the address of a file that lies beside the folder of the chapters,
// "../LICENSE" on a page of no chapter. The site has a copy, which browsers show.
func (p *Page) toFile(doc *book.Document, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(filepath.Dir(doc.File), "..", name))
	if err != nil {
		return "", fmt.Errorf("dead link: there is no file %s beside the folder of the chapters", name)
	}
	return p.book.asset(name+".txt", content), nil
}

// toText returns the address of a part, or of a heading in it.
func (p *Page) toText(doc *book.Document, ref book.Reference, part *book.Part) string {
	if ref.Fragment != "" {
		p.book.anchors = append(p.book.anchors, anchor{doc, ref.Line, part.Slug, ref.Fragment})
	}
	return snippet.AddressOn(part, ref.Fragment)
}
