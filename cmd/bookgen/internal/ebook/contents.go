package ebook

import (
	"cmp"
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/site"
)

// A place is something that one can go to, with what is below it.
type place struct {
	Title    string
	File, ID string // ID may be empty
	Type     string // of a landmark
	Below    []place
}

// Href returns the address of the place in the contents, which lie beside the package
// document.
func (p place) Href() string {
	if p.ID == "" {
		return p.File
	}
	return p.File + "#" + p.ID
}

// Contents returns the parts of the book, the pages of each, and their sections.
func (p *page) Contents() []place {
	var all []place
	under := func(title string, below place) {
		if last := len(all) - 1; last < 0 || all[last].Title != title {
			all = append(all, place{Title: title, File: below.File})
		}
		last := &all[len(all)-1]
		last.Below = append(last.Below, below)
	}
	for _, of := range p.Book.Pages {
		at := of.place()
		switch of.Kind {
		case site.Opening, site.Reading:
			under(fmt.Sprintf("%d · %s", of.Chapter.Number, of.Chapter.Title), at)
		case site.After:
			under("Beside the chapters", at)
		case site.Compared:
			under("Ours and Kubernetes’", at)
		case site.Exercise:
			under("Exercises", at)
		default:
			all = append(all, at)
		}
	}
	return all
}

// place returns the page with its sections.
func (p *page) place() place {
	at := place{Title: p.Name(), File: p.File}
	for _, s := range p.Sections {
		if s.Level == 2 {
			at.Below = append(at.Below, place{Title: s.Title, File: p.File, ID: s.ID})
		}
	}
	return at
}

// Name returns the title of the page, with its number if it has one: 1.2 · The kubelet.
// That of the first page of a chapter is not the chapter's.
func (p *page) Name() string {
	number, title := p.Number, p.Title
	if p.Kind == site.Opening {
		number, title = p.Chapter.Parts[0].Page, p.Chapter.Parts[0].Title
	}
	return strings.TrimPrefix(number+" · "+title, " · ")
}

// Landmarks returns the places that readers have buttons for.
func (p *page) Landmarks() []place {
	var all []place
	add := func(title, kind string, is func(*page) bool) {
		for _, of := range p.Book.Pages {
			if is(of) {
				all = append(all, place{Title: title, File: of.File, Type: kind})
				return
			}
		}
	}
	at := func(path string) func(*page) bool { return func(p *page) bool { return p.Path == path } }
	add("Cover", "cover", at("cover.html"))
	add("Title page", "titlepage", at("index.html"))
	add("Contents", "toc", at(site.Pages["contents"]))
	add("How to read it", "preface", func(p *page) bool { return p.Kind == site.Preface })
	add("The first chapter", "bodymatter", func(p *page) bool { return p.Kind == site.Opening })
	add("Words", "glossary", at(site.Pages["words"]))
	if p.Book.Licence != nil {
		add(cmp.Or(p.Book.Licence.Title, "Licence"), "copyright-page", at(p.Book.Licence.File))
	}
	return all
}
