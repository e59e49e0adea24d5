package weave

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
)

// chapterMap draws who writes what, with what a chapter adds.
func (v *volume) chapterMap(c *site.Chapter) error {
	slug, name, _ := strings.Cut(v.book.Map, "/")
	from := v.chapters[slug]
	if from == nil {
		return fmt.Errorf("book.md: map: no chapter %q is written", slug)
	}
	data, err := from.Read(name)
	if err != nil {
		return fmt.Errorf("book.md: map: %w", err)
	}
	added, err := figure.WritersOf(data, c.Number)
	if err != nil {
		return fmt.Errorf("%s: %w", from.Path(name), err)
	}
	c.MapTitle = "The map so far: who writes what"
	alt := fmt.Sprintf("A row for each kind of object, a column for each program that writes any. What chapters 1 to %d build is lit.", c.Number)
	if len(added) > 0 {
		c.MapTitle += ", and what this chapter adds: " + strings.Join(added, ", ")
		alt += " This one builds: " + strings.Join(added, ", ") + "."
	}
	svg, err := figure.Render(fmt.Sprintf("writers %d", c.Number), data, "map", alt)
	c.Map = node.Parse(svg)
	return err
}
