package snippet

import (
	"fmt"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// PlacesIn returns which lines of a file stand on which pages, piece by piece.
func (c *Chapter) PlacesIn(file *source.File) []site.Place {
	var places []site.Place
	var before mention
	for line := 1; line <= file.Lines(); line++ {
		at, shown := c.Coverage.at(file, line)
		switch {
		case !file.Owes(line): // it belongs to what is around it
		case !shown || at.part == nil:
			before = mention{}
		case at == before:
			places[len(places)-1].Last = line
		default:
			places = append(places, site.Place{First: line, Last: line, Use: site.Use{
				Href:  AddressOn(at.part, c.idOn(at.part, file, line)),
				Label: labelOf(at.part),
			}, Page: at.part.Page()})
			before = at
		}
	}
	return places
}

// PagesOf returns which lines of a file each page shows.
func (c *Chapter) PagesOf(file *source.File) []site.On {
	var pages []site.On
	var runs [][]Span // of each
	var before *book.Part
	for line := 1; line <= file.Lines(); line++ {
		if !file.Owes(line) {
			continue
		}
		at, _ := c.Coverage.at(file, line)
		if at.part == nil {
			before = nil
			continue
		}
		label := labelOf(at.part)
		i := slices.IndexFunc(pages, func(on site.On) bool { return on.Label == label })
		if i < 0 {
			i = len(pages)
			pages = append(pages, site.On{Use: site.Use{Href: AddressOn(at.part, c.idOn(at.part, file, line)), Label: label}})
			runs = append(runs, nil)
		}
		if at.part == before {
			runs[i][len(runs[i])-1].Last = line
		} else {
			runs[i] = append(runs[i], Span{line, line})
		}
		before = at.part
	}
	for i := range pages {
		pages[i].Lines = RunsText(runs[i])
	}
	return pages
}

// RunsText returns spans as a page says them: "12–40, 52".
func RunsText(spans []Span) string {
	var all []string
	for _, s := range spans {
		text := fmt.Sprint(s.First)
		if s.Last > s.First {
			text += fmt.Sprintf("–%d", s.Last)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// labelOf returns what a link to a part says.
func labelOf(part *book.Part) string {
	return fmt.Sprintf("%s · %s", part.Page(), part.Title)
}

// idOn returns the id of the declaration around a line on a part, or ""
// if the part shows it without an id.
func (c *Chapter) idOn(part *book.Part, file *source.File, line int) string {
	if c.Coverage.Part(file, line) != part {
		return ""
	}
	for _, decl := range file.Decls {
		if decl.EndLine < line {
			continue
		}
		for _, name := range decl.Names {
			on, id, _, err := c.WhereCode(book.Reference{Path: c.Name(file), Fragment: name})
			if err == nil && on == part {
				return id
			}
		}
		break
	}
	return ""
}
