package link

import (
	"cmp"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// Book is all that links may lead to.
type Book struct {
	book     *book.Book
	module   string                                   // the path that its import paths begin with
	asset    func(name string, content []byte) string // gives the site a file
	chapters map[string]*Chapter                      // the written ones, by slug
	packages map[string]room                          // their packages, by import path, tests included
	ids      map[string]map[string]bool               // of rendered pages, by their names
	anchors  []anchor                                 // links to check once all ids are known
}

// room is a package in its chapter.
type room struct {
	chapter *Chapter
	program *snippet.Program
}

// anchor is a link into a page that may not be rendered yet.
type anchor struct {
	doc      *book.Document
	line     int
	page, id string
}

// New returns a book without chapters. asset gives the site a file, and returns its
// address.
func New(b *book.Book, module string, asset func(name string, content []byte) string) *Book {
	return &Book{
		book: b, module: module, asset: asset,
		chapters: map[string]*Chapter{}, packages: map[string]room{}, ids: map[string]map[string]bool{},
	}
}

// Add lets links lead into a chapter.
func (b *Book) Add(c *Chapter) {
	b.chapters[c.Slug] = c
	for _, p := range c.Code {
		b.packages[p.Info.Path] = room{c, p}
		b.packages[p.Info.Path+"_test"] = room{c, p}
	}
}

// Has reports whether a package is a chapter's.
func (b *Book) Has(pkg string) bool { return b.packages[pkg].program != nil }

// Rendered notes the ids of a page, by the name that links to it have.
func (b *Book) Rendered(page string, body node.List) {
	found := map[string]bool{}
	for n := range body.All() {
		if id := node.Get(n, "id"); id != "" {
			found[id] = true
		}
	}
	b.ids[page] = found
}

// Dead reports links to ids that no page has.
func (b *Book) Dead() error {
	var errs []error
	for _, a := range b.anchors {
		if !b.ids[a.page][a.id] {
			where := cmp.Or(a.page, "the page")
			errs = append(errs, source.At(a.doc.File, a.line, "dead link: nothing on %s has the id %q", where, a.id))
		}
	}
	return source.Join(errs...)
}

// destination returns the place that defines a name of any package: in a room
// of the book, with the zero place if the name is the package's own; or at an
// address outside of the book. With all of them empty, a link has nowhere to
// go.
func (b *Book) destination(pkg, name string) (in room, at snippet.Place, outside string) {
	if in, ok := b.packages[pkg]; ok {
		if at, ok := in.program.Places[snippet.Object{Pkg: pkg, Name: name}]; ok || name == "" {
			return in, at, ""
		}
		return room{}, snippet.Place{}, ""
	}
	if strings.HasPrefix(pkg, b.module+"/") || pkg == "builtin" {
		return room{}, snippet.Place{}, ""
	}
	outside = "https://pkg.go.dev/" + pkg
	if name != "" {
		outside += "#" + name
	}
	return room{}, snippet.Place{}, outside
}
