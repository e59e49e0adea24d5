package site

import (
	"bytes"
	"encoding/json"
)

// searchData returns the search index as a script. It is a script, not JSON,
// because a page that was opened from a folder may not fetch.
//
// The index is a list of [kind, title, address, text]. Texts of a few hundred
// kilobytes are searched from end to end faster than a keystroke follows the
// other, so there is nothing cleverer in it.
func searchData(b *Book) ([]byte, error) {
	var rows [][4]string
	for _, e := range searchEntries(b) {
		rows = append(rows, [4]string{e.Kind, e.Title, e.Href, e.Text})
	}
	var out bytes.Buffer
	out.WriteString("bookIndex(")
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(rows); err != nil {
		return nil, err
	}
	out.WriteString(")\n")
	return out.Bytes(), nil
}

// searchEntries returns what can be found: the book's symbols, then the
// sections and exercises of its chapters.
func searchEntries(b *Book) []SearchEntry {
	var entries []SearchEntry
	for _, s := range sorted(b.Symbols) {
		entries = append(entries, SearchEntry{
			Kind: "symbol", Title: s.Name, Href: s.Href, Text: s.Kind + " · " + s.File + " · " + s.Synopsis,
		})
	}
	for _, c := range b.Chapters {
		for _, part := range c.Parts {
			for _, e := range part.Text {
				if e.Kind != "symbol" { // those are all in the book's index
					entries = append(entries, e)
				}
			}
		}
	}
	return entries
}
