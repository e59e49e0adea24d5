package site

import (
	"cmp"
	"encoding/xml"
	"strings"
	"time"
)

type (
	// feed is what a reader of feeds gets, as Atom has it.
	feed struct {
		XMLName xml.Name  `xml:"http://www.w3.org/2005/Atom feed"`
		Title   string    `xml:"title"`
		ID      string    `xml:"id"`
		Updated time.Time `xml:"updated"`
		Author  string    `xml:"author>name"`
		Links   []feedLink
		Entries []entry `xml:"entry"`
	}
	// entry is an edition.
	entry struct {
		Title   string    `xml:"title"`
		ID      string    `xml:"id"`
		Updated time.Time `xml:"updated"`
		Link    feedLink
		Content feedText `xml:"content"`
	}
	feedLink struct {
		XMLName xml.Name `xml:"link"`
		Rel     string   `xml:"rel,attr"`
		Href    string   `xml:"href,attr"`
	}
	feedText struct {
		Type string `xml:"type,attr"`
		HTML string `xml:",chardata"`
	}
)

// feedOf lists the editions. The id of one is its number: "#edition-4".
func feedOf(b *Book) ([]byte, error) {
	home := feedLink{Rel: "alternate", Href: b.absolute("")}
	f := feed{
		Title: b.Title, ID: home.Href, Updated: b.Editions[0].Day, Author: b.Authors(),
		Links: []feedLink{home, {Rel: "self", Href: b.absolute("feed.xml")}},
	}
	for _, e := range b.Editions {
		name, _, _ := strings.Cut(e.Name, ",")
		f.Entries = append(f.Entries, entry{
			Title: b.Title + ": " + e.Name, Updated: e.Day, Link: home,
			ID:      home.Href + "#" + strings.ReplaceAll(strings.ToLower(name), " ", "-"),
			Content: feedText{"html", cmp.Or(e.Changes, b.Description)},
		})
	}
	out, err := xml.MarshalIndent(f, "", " ")
	return append([]byte(xml.Header), out...), err
}
