package site

import (
	"fmt"
	"reflect"
	"strings"
)

// Memory keeps the pages of whole files, nine in ten of all, and the index from
// one rendering to the next: a save changes few of them.
type Memory struct {
	listings map[string]rendered
	before   map[string]rendered // the listings of the rendering before
	index    map[string][]byte   // its pages, by their paths, and whether they are a clone's
	frame    listingPage         // around the index
	symbols  []*Symbol           // the symbols in it
}

// rendered is a page of a file, and all that it was made of.
type rendered struct {
	page     listingPage
	siblings string
	content  []byte
}

// listingPage holds all that the template of listings, and the one around it,
// look at.
type listingPage struct {
	heading, description, canonical string
	book, subtitle, licence         string
	source, report                  string
	number                          int
	chapter                         string
	listing                         Listing
}

// page renders a page, unless it is a listing like the one before.
func (m *Memory) page(p *page) ([]byte, error) {
	if p.IsIndex() {
		return m.symbolsPage(p)
	}
	if p.Listing == nil || p.Listing.Body != nil {
		return p.render()
	}
	now := rendered{page: listingPage{
		heading: p.Heading, description: p.Description, canonical: p.Canonical(),
		book: p.Book.Title, subtitle: p.Book.Subtitle, licence: p.Book.licenceFile(),
		source: p.Source(), report: p.Report(), number: p.Chapter.Number, chapter: p.Chapter.Title, listing: *p.Listing,
	}, siblings: p.siblingNames()}
	if was, ok := m.before[p.Path]; ok && reflect.DeepEqual(was.page, now.page) && was.siblings == now.siblings {
		m.listings[p.Path] = was
		return was.content, nil
	}
	var err error
	now.content, err = p.render()
	m.listings[p.Path] = now
	return now.content, err
}

// symbolsPage renders a page of the index, unless that is of the same symbols as
// before.
func (m *Memory) symbolsPage(p *page) ([]byte, error) {
	frame := listingPage{
		canonical: p.Book.URL, book: p.Book.Title, subtitle: p.Book.Subtitle, licence: p.Book.licenceFile(),
		report: p.Book.Report + p.Book.Edition,
	}
	all := p.Book.Symbols
	same := len(all) > 0 && len(all) == len(m.symbols) && &all[0] == &m.symbols[0]
	if !same || !reflect.DeepEqual(frame, m.frame) {
		m.index, m.frame, m.symbols = map[string][]byte{}, frame, all
	}
	key := fmt.Sprint(p.Path, p.left != nil)
	if content, ok := m.index[key]; ok {
		return content, nil
	}
	var err error
	m.index[key], err = p.render()
	return m.index[key], err
}

// licenceFile returns the page that each foot leads to, or nothing.
func (b *Book) licenceFile() string {
	if b.Licence == nil {
		return ""
	}
	return b.Licence.File
}

func (p *page) siblingNames() string {
	var names []string
	for _, l := range p.Chapter.Listings {
		names = append(names, l.File)
	}
	return strings.Join(names, "\n")
}
