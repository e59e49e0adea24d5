package site

import (
	"embed"
	"strings"
	"text/template"
	"time"
)

//go:embed templates/feed.xml templates/cite.txt
var textFiles embed.FS

var texts = template.Must(template.ParseFS(textFiles, "templates/*"))

func (b *Book) text(name string) string {
	var out strings.Builder
	if err := texts.ExecuteTemplate(&out, name, b); err != nil {
		panic(err) // our own template, over our own type
	}
	return out.String()
}

// Cite returns the lines to copy where the book's text is used.
func (b *Book) Cite() string { return b.text("cite.txt") }

// ID returns the edition's number, as the feed has it: "edition-4".
func (e Edition) ID() string {
	name, _, _ := strings.Cut(strings.ToLower(e.Name), ",")
	return strings.ReplaceAll(name, " ", "-")
}

// Updated returns the edition's day, as the feed has it.
func (e Edition) Updated() string { return e.Day.Format(time.RFC3339) }
