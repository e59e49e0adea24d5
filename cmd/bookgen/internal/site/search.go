package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// searchDataPath is where the pages look for the search index.
const searchDataPath = "assets/search-data.js"

// searchData returns the search index as a script. It is a script, not JSON,
// because a page that was opened from a folder may not fetch.
//
// The index is a list of the book's pages, as [name, path], and one of [kind,
// title, address, text], where an address on one of those pages begins with its
// number, and the text of a term has its other names in a line before. Texts of
// a few hundred kilobytes are searched from end to end faster than a keystroke
// follows the other, so there is nothing cleverer in it.
func searchData(b *Book, left sources) ([]byte, error) {
	pages, entries := searchPages(b, left), searchEntries(b)
	if left == nil && b.Play != nil { // a clone has no such page
		pages = append(pages, [2]string{"Play", "play.html"})
		entries = append(entries, playText(b.Play)...)
	}
	var rows [][4]string
	for _, e := range entries {
		text := e.Text
		if e.Others != "" {
			text = e.Others + "\n" + text
		}
		rows = append(rows, [4]string{e.Kind, e.Title, shortened(pages, left.to(e.Href)), text})
	}
	var out bytes.Buffer
	out.WriteString("bookIndex(")
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(pages); err != nil {
		return nil, err
	}
	out.WriteString(",")
	if err := encoder.Encode(rows); err != nil {
		return nil, err
	}
	out.WriteString(")\n")
	return out.Bytes(), nil
}

// searchPages returns the pages beside the chapters, those of the text and, last of each chapter, the
// folder of its files, then those of courses: results name them. Of files that are
// left out the folder is another.
func searchPages(b *Book, left sources) [][2]string {
	var pages [][2]string
	for _, beside := range b.Beside {
		pages = append(pages, [2]string{beside.Title, beside.File})
	}
	for _, c := range b.Chapters {
		for _, part := range c.Parts {
			pages = append(pages, [2]string{part.Page + " · " + part.Title, part.Path()})
		}
		name := fmt.Sprintf("%d · %s", c.Number, c.Title)
		pages = append(pages, [2]string{name, c.Slug + "/"})
		if left != nil {
			pages = append(pages, [2]string{name, "../chapters/" + c.Slug + "/"})
		}
	}
	for _, entry := range teachText(b) {
		pages = append(pages, [2]string{teachTitle, entry.Href})
	}
	return pages
}

func shortened(pages [][2]string, href string) string {
	for i, page := range pages {
		if rest, ok := strings.CutPrefix(href, page[1]); ok {
			return fmt.Sprintf("%d %s", i, rest)
		}
	}
	return href
}

// searchEntries returns everything that can be found: terms, the pages beside
// the chapters, courses, the chapters, their text and the commands typed there, the book's symbols, then fields and
// tests. A symbol that a reader may want to write first is found at the
// exercise, not at the answer.
func searchEntries(b *Book) []SearchEntry {
	var entries []SearchEntry
	for _, t := range b.Terms {
		entries = append(entries, SearchEntry{Kind: "term", Title: t.Name, Href: t.Place.Href, Text: t.Text, Others: t.Others})
	}
	for _, beside := range b.Beside {
		entries = append(entries, beside.Text...)
	}
	entries = append(entries, teachText(b)...)
	for _, c := range b.Chapters {
		if c.Written {
			entries = append(entries, SearchEntry{Kind: "chapter", Title: c.Title, Href: c.Path(), Text: c.Summary})
		}
		for _, part := range c.Parts {
			entries = append(entries, part.Text...)
		}
	}
	for _, s := range sorted(b.Symbols) {
		entries = append(entries, SearchEntry{
			Kind: "symbol", Title: s.Name, Href: cmp.Or(s.Statement, s.Href), Text: s.Kind + " · " + s.File + " · " + s.Synopsis,
		})
	}
	for _, c := range b.Chapters {
		entries = append(entries, c.Text...)
	}
	return entries
}

// playText returns what the search finds of the page Play.
func playText(p *Play) []SearchEntry {
	entries := []SearchEntry{{
		Kind: "part", Title: "Play", Href: "play.html", Others: "playground, sandbox",
		Text: "A cluster in a page, with kubectl, nodes and disks, and a clock that you turn.",
	}}
	for _, q := range p.Gallery {
		entries = append(entries, SearchEntry{Kind: "section", Title: q.Title, Href: "play.html#" + q.Name, Text: q.Answer})
	}
	return entries
}
