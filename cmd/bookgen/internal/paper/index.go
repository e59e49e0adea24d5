package paper

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"reconcile/cmd/bookgen/internal/site"
)

// An entry is a line of the index: a subject, another name of one, or a declaration.
type entry struct {
	Name   string
	Code   bool
	See    string    // the subject's name, of another name
	Places []indexed // in the order of the pages
	Letter string    // that it is the first of
}

// An indexed place is where the index leads to.
type indexed struct {
	ID, Page string
	at       int
}

// index returns what the book is about, by name: its words, what else they are called, and the
// declarations that it shows.
func (d *document) index() []entry {
	var all []entry
	for _, term := range d.Terms {
		places := d.places(term.Place.Href)
		if places == nil {
			continue
		}
		all = append(all, entry{Name: term.Name, Places: places})
		for _, name := range term.Also() {
			if !strings.EqualFold(name, term.Name) {
				all = append(all, entry{Name: name, See: term.Name})
			}
		}
	}
	for _, s := range d.Symbols {
		if d.places(s.Href) == nil {
			continue
		}
		hrefs := []string{s.Href}
		for _, use := range s.Uses {
			hrefs = append(hrefs, use.Href)
		}
		all = append(all, entry{Name: s.Name, Code: true, Places: d.places(hrefs...)})
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return lettered(all)
}

// lettered notes which entries begin a letter.
func lettered(all []entry) []entry {
	last := ""
	for i := range all {
		first := []rune(strings.ToUpper(all[i].Name))[0]
		letter := "Signs"
		if unicode.IsLetter(first) {
			letter = string(first)
		}
		if letter != last {
			all[i].Letter = letter
		}
		last = letter
	}
	return all
}

// places returns where the addresses from the site's root lead to in the book: each page
// once, as soon as pages are known.
func (d *document) places(hrefs ...string) []indexed {
	var all []indexed
	for _, href := range hrefs {
		if id, ok := d.at[href]; ok {
			all = append(all, indexed{id, d.Page(id), d.pages[id]})
		}
	}
	slices.SortStableFunc(all, func(a, b indexed) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(all, func(a, b indexed) bool { return a.at > 0 && a.at == b.at || a.ID == b.ID })
}

// PlaceOf returns where a term is built.
func (d *document) PlaceOf(t site.Term) []indexed { return d.places(t.Place.Href) }
