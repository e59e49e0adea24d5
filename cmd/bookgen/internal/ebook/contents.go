package ebook

import (
	"fmt"

	"reconcile/cmd/bookgen/internal/site"
)

// A place is something that one can go to, with what is below it.
type place struct {
	Title, Href string // from the package document
	Type        string // of a landmark
	Below       []place
}

// Contents returns the parts of the book, the pages of each, and their sections.
func (p *page) Contents() []place {
	var all []place
	for _, of := range p.Book.Pages {
		under := "" // the title of a part of the book
		switch of.Kind {
		case cover, title, contents:
			continue
		case site.Opening, site.Reading:
			under = fmt.Sprintf("%d · %s", of.Chapter.Number, of.Chapter.Title)
		case site.After:
			under = "Beside the chapters"
		case site.Compared:
			under = kinds[of.Kind].button
		case site.Exercise:
			under = "Exercises"
		}
		if under == "" {
			all = append(all, of.place())
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].Title != under {
			all = append(all, place{Title: under, Href: of.File})
		}
		part := &all[len(all)-1]
		part.Below = append(part.Below, of.place())
	}
	return all
}

// place returns the page with its sections.
func (p *page) place() place {
	at := place{Title: p.Name(), Href: p.File}
	for _, s := range p.Sections {
		if s.Level == 2 {
			at.Below = append(at.Below, place{Title: s.Title, Href: p.File + "#" + s.ID})
		}
	}
	return at
}

// Landmarks returns the places that readers have buttons for.
func (p *page) Landmarks() []place {
	var all []place
	seen := map[site.LeafKind]bool{}
	for _, of := range p.Book.Pages {
		if kind := kinds[of.Kind]; kind.landmark != "" && !seen[of.Kind] {
			seen[of.Kind] = true
			all = append(all, place{Title: kind.button, Href: of.File, Type: kind.landmark})
		}
	}
	return all
}
