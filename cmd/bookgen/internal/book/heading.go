package book

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"reconcile/internal/source"
)

// Heading is a heading with the id that links use.
type Heading struct {
	Level     int
	ID, Title string
	Line      int
}

// findHeadings gives every heading an id and demands one `#`, no level left out,
// and no title twice: a link could not tell them apart, nor a table of contents.
func (d *Document) findHeadings() error {
	var errs []error
	seen := map[string]int{} // the line of each id
	d.Walk(func(n ast.Node) bool {
		heading, ok := n.(*ast.Heading)
		if !ok {
			return true
		}
		h := Heading{Level: heading.Level, Title: d.Text(heading), Line: d.Line(heading)}
		h.ID = slug(h.Title)
		if first := seen[h.ID]; first > 0 {
			errs = append(errs, source.At(d.File, h.Line, "a second heading %q: the first is at line %d", h.Title, first))
		}
		seen[h.ID] = h.Line
		heading.SetAttributeString("id", []byte(h.ID))
		errs = append(errs, d.inOrder(h))
		d.Headings = append(d.Headings, h)
		return false
	})
	return source.Join(errs...)
}

func (d *Document) inOrder(h Heading) error {
	if len(d.Headings) == 0 {
		return nil
	}
	last := d.Headings[len(d.Headings)-1]
	switch {
	case h.Level == 1:
		return source.At(d.File, h.Line, "a second heading of level 1: %s", h.Title)
	case h.Level > last.Level+1:
		return source.At(d.File, h.Line, "heading of level %d follows one of level %d: %s", h.Level, last.Level, h.Title)
	}
	return nil
}

// slug turns a title into an id: small letters and digits, words joined by
// dashes.
func slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r != '\'' && r != '’':
			gap = true
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}
