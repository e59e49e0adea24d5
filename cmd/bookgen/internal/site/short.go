package site

import "slices"

// The short path leads through the sections that are marked for it. A page that
// is reached by it knows so from its address.
const shortQuery = "?path=short"

// ShortSections returns the sections of the part that the short path names: of
// one that is on it as a whole, not those below.
func (p *Part) ShortSections() []Section {
	var on []Section
	whole := false
	for _, s := range p.Sections {
		if s.Level == 2 {
			whole = s.Short
		}
		if s.Short && (s.Level == 2 || !whole) {
			on = append(on, s)
		}
	}
	return on
}

// OnShort reports whether the short path comes by the part.
func (p *Part) OnShort() bool { return p.Opening.Short || len(p.ShortSections()) > 0 }

// Short returns the length of what is on the short path.
func (p *Part) Short() Length {
	return sum(append([]Section{p.Opening}, p.Sections...), func(s Section) Length {
		if !s.Short {
			return Length{}
		}
		return Length{Words: s.Words, Lines: s.Lines}
	})
}

// ShortPath returns the address at which the short path comes to the part, from
// the site's root.
func (p *Part) ShortPath() string {
	if p.Opening.Short {
		return p.Path() + shortQuery
	}
	return p.ShortPathTo(p.ShortSections()[0])
}

// ShortPathTo returns the address of one of its sections on the short path.
func (p *Part) ShortPathTo(s Section) string { return p.Path() + shortQuery + "#" + s.ID }

// OnShort reports whether the short path comes through the chapter.
func (c *Chapter) OnShort() bool { return slices.ContainsFunc(c.Parts, (*Part).OnShort) }

// Short returns the length of what is on the short path.
func (c *Chapter) Short() Length { return sum(c.Parts, (*Part).Short) }

// Short returns the length of the short path.
func (b *Book) Short() Length { return sum(b.Chapters, (*Chapter).Short) }

// shortWay lists the stops of the short path, a comparison among them if it is
// on it.
func (b *Book) shortWay() []stop {
	var stops []stop
	for _, c := range b.Chapters {
		for _, part := range c.Parts {
			if part.OnShort() {
				stops = append(stops, stop{part.Page + " · " + part.Title, part.ShortPath()})
			}
		}
	}
	return stops
}

// ShortTurn returns the stops of the short path around the page. It begins at
// its own contents, and ends there unless there is a page after the last
// chapter.
func (p *page) ShortTurn() [2]stop {
	contents := stop{Name: shortTitle, Path: Pages["short"]}
	end := contents
	if p.Book.End != nil {
		end = stop{Name: p.Book.End.Title, Path: p.Book.End.File}
	}
	way := slices.Concat([]stop{contents}, p.Book.shortWay(), []stop{end})
	at := slices.IndexFunc(way, func(s stop) bool { return s.Path == p.Part.ShortPath() })
	return [2]stop{way[at-1], way[at+1]}
}
