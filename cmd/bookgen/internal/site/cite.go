package site

import "strings"

// Authors returns the name of those who have written the book.
func (b *Book) Authors() string { return "the authors of " + b.Title }

// Cite returns the lines to copy where the book's text is used. They lead to the book if it
// knows where it's served.
func (b *Book) Cite() string {
	whole, by := b.Title, b.Authors()
	if b.Subtitle != "" {
		whole += ": " + b.Subtitle
	}
	if b.URL != "" {
		by += ", " + b.URL
	}
	return strings.Join([]string{
		`"` + whole + `"`, "by " + by,
		"licensed under CC BY 4.0, https://creativecommons.org/licenses/by/4.0/", "Changes: none",
	}, "\n")
}
