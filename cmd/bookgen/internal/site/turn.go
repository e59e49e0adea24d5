package site

import (
	"fmt"
	"slices"
)

// stop is a page on the way through the book, or a chapter that will be one.
type stop struct {
	Name string
	Path string // empty if it is not yet written
}

// way lists the stops of a reader who goes from the front to the end: the parts
// of all chapters, without the comparisons and what goes underneath.
func (b *Book) way() []stop {
	var stops []stop
	for _, c := range b.Chapters {
		if !c.Written {
			stops = append(stops, stop{Name: fmt.Sprintf("%d · %s", c.Number, c.Title)})
		}
		for _, part := range c.Parts {
			if part.onWay() {
				stops = append(stops, part.stop())
			}
		}
	}
	return stops
}

func (p *Part) onWay() bool { return !p.Compared && !p.Beneath }

func (p *Part) stop() stop { return stop{p.Page + " · " + p.Title, p.Path()} }

// beneath returns the part that stands next to the page's, before or after it, if both
// belong together because they go underneath.
func (p *page) beneath(step int) *stop {
	i := slices.Index(p.Chapter.Parts, p.Part) + step
	if !p.Part.Beneath || i >= len(p.Chapter.Parts) || !p.Chapter.Parts[i].Beneath {
		return nil
	}
	to := p.Chapter.Parts[i].stop()
	return &to
}

// Prev returns the stop before the page, or nil. What isn't on the way stands beside the
// last part of its chapter that is: it is left to either side of that.
func (p *page) Prev() *stop {
	if to := p.beneath(-1); to != nil {
		return to
	}
	way := p.Book.way()
	i := p.place(way)
	if !p.Part.onWay() {
		i++
	}
	if i == 0 {
		return nil
	}
	return &way[i-1]
}

// Next returns the stop after the page, or nil.
func (p *page) Next() *stop {
	if to := p.beneath(1); to != nil {
		return to
	}
	way := p.Book.way()
	if i := p.place(way); i+1 < len(way) {
		return &way[i+1]
	}
	return nil
}

// place returns the index of the page's own stop, or of the last in its chapter.
func (p *page) place(way []stop) int {
	path := p.Path
	if !p.Part.onWay() {
		path = p.Chapter.lastRead().Path()
	}
	for i, s := range way {
		if s.Path == path {
			return i
		}
	}
	return -1
}

// PrevHref returns the address of the page before, if there is one to read.
func (p *page) PrevHref() string {
	if p.Part == nil {
		return ""
	}
	return p.toStop(p.Prev())
}

// NextHref returns the address of the page after, if there is one to read.
func (p *page) NextHref() string {
	if p.Part == nil {
		return ""
	}
	return p.toStop(p.Next())
}

func (p *page) toStop(s *stop) string {
	if s == nil || s.Path == "" {
		return ""
	}
	return p.To(s.Path)
}

// Comparison returns that of the chapter on the page of its last part to be read, and nil
// on all others.
func (p *page) Comparison() *Part {
	i := slices.IndexFunc(p.Chapter.Parts, func(part *Part) bool { return part.Compared })
	if i < 0 || p.Part != p.Chapter.lastRead() {
		return nil
	}
	return p.Chapter.Parts[i]
}

// lastRead returns the last part of the chapter that is read through.
func (c *Chapter) lastRead() *Part {
	last := c.Parts[0]
	for _, part := range c.Parts {
		if part.onWay() {
			last = part
		}
	}
	return last
}
