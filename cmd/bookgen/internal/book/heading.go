package book

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"reconcile/internal/source"
)

// Heading is a heading with the id that links use.
type Heading struct {
	Level     int
	ID, Title string
	Search    string // what else the search finds the section by, with commas between
	Short     bool   // the section is on the short path, with all that is below it
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
		h.ID = Slug(h.Title)
		if first := seen[h.ID]; first > 0 {
			errs = append(errs, source.At(d.File, h.Line, "a second heading %q: the first is at line %d", h.Title, first))
		}
		seen[h.ID] = h.Line
		errs = append(errs, d.attributes(heading, &h), d.inOrder(h))
		heading.SetAttributeString("id", []byte(h.ID))
		d.Headings = append(d.Headings, h)
		return false
	})
	return source.Join(errs...)
}

// braces matches the end of a title that looks like attributes and is none.
var braces = regexp.MustCompile(`\{[^{}]*\}$`)

// attributes reads what stands behind a title: {path="short"}, {search="install, set up"}.
// The title of a page has its own in front matter.
func (d *Document) attributes(heading *ast.Heading, h *Heading) error {
	if wrong := braces.FindString(h.Title); wrong != "" {
		return source.At(d.File, h.Line, `these are no attributes: %s; write {path="short"}`, wrong)
	}
	var errs []error
	for _, attribute := range heading.Attributes() {
		name, value := string(attribute.Name), attribute.Value
		text, ok := value.([]byte)
		switch {
		case h.Level == 1:
			errs = append(errs, source.At(d.File, h.Line, "the title of a page has its %s in front matter", name))
		case name != "path" && name != "search":
			errs = append(errs, source.At(d.File, h.Line, "a heading has no attribute %s: it may have path and search", name))
		case !ok || len(text) == 0:
			errs = append(errs, source.At(d.File, h.Line, `the %s of a heading is a text: %s="…"`, name, name))
		case name == "search":
			h.Search = string(text)
		default:
			short, err := isShort(d.File, h.Line, string(text))
			h.Short = short
			errs = append(errs, err)
		}
	}
	return source.Join(errs...)
}

// isShort reports whether a path attribute is "short", the only path that the
// book has.
func isShort(file string, line int, path string) (bool, error) {
	if path != "" && path != "short" {
		return false, source.At(file, line, "the one path is short, and not %q", path)
	}
	return path == "short", nil
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

// Slug turns a title into an id: small letters and digits, words joined by
// dashes.
func Slug(title string) string {
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
