package site

import (
	"html/template"
	"maps"
	"strings"

	"reconcile/cmd/bookgen/internal/node"
)

// RenderClone makes the files that a clone of the book carries: the pages that are
// read, and what they need. In them links to listings, which it does not carry, lead
// to the files themselves. The site of a clone lies beside its chapters. A book for
// this needs no code of its listings.
func (m *Memory) RenderClone(b *Book) (map[string][]byte, error) {
	left := sources{}
	var read []*page
	for _, p := range pages(b) {
		if p.IsRead() {
			p.left = left
			read = append(read, p)
		} else if p.Listing != nil {
			left[p.Path] = "../chapters/" + strings.TrimSuffix(p.Path, ".html")
		}
	}
	carried, err := m.render(read)
	if err != nil {
		return nil, err
	}
	maps.Copy(carried, assets())
	maps.Copy(carried, b.Texts)
	carried[searchDataPath], err = searchData(b, left)
	return carried, err
}

// Play returns what the page of an empty cluster offers, or nil on a site without one.
func (p *page) Play() *Play {
	if p.left != nil {
		return nil
	}
	return p.Book.Play
}

// Asks reports whether readers of the page have questions that a run in a page answers: it is
// for symptoms, or an index of sentences.
func (p *page) Asks() bool {
	return p.Play() != nil && p.Beside != nil && (p.Beside == p.Book.Symptoms || p.Beside.Index)
}

// IsRead reports whether the page is for reading: it is no listing of a file, nor
// what a server says of pages that are not there, nor one that needs the engine.
func (p *page) IsRead() bool {
	return p.Kind != "notfound" && p.Kind != "play" && (p.Listing == nil || p.Listing.Body != nil)
}

// sources are the files of a clone that stand in for pages of the site, by the
// page's path; both are relative to the site's root. A site that has all of its
// pages has none.
type sources map[string]string

// to returns the address to use in place of one from the site's root. That of a
// file names no line in it, for which browsers have no use.
func (s sources) to(href string) string {
	name, _, _ := strings.Cut(href, "#")
	if source, ok := s[name]; ok {
		return source
	}
	return href
}

// HTML returns the markup of nodes on the page.
func (p *page) HTML(l node.List) template.HTML { return l.As(node.Leading(p.near)) }

// near returns the shortest way from the page to an address from the site's root.
func (p *page) near(address string) string { return node.Relative(p.Path, p.left.to(address)) }
