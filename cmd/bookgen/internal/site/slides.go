package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/workshop/course"
)

// slidePages returns the pages that a course is taught from.
func slidePages(b *Book, c *Course) []*page {
	return []*page{
		{Path: c.Path("slides.html"), Kind: "slides", Course: c, Heading: title(c.Title+": slides", b.Title),
			Description: "What a room looks at together: " + c.Title + ", in the order of its schedule."},
		{Path: c.Path("presenter.html"), Kind: "presenter", Course: c, Heading: title(c.Title+": to present", b.Title),
			Description: "What to say to the slides of " + c.Title + ", and the clock against the plan."},
	}
}

// slide is what a room looks at, at once.
type slide struct {
	Number int    // from 1; its id on the page
	Kind   string // "course", "session", "code", "transcript", "figure", "table", "ask", "task", "break" or "work"
	Plan   *plan  // the line of the schedule that it is of

	// One of them is set, but on slides of a course, of a break, and of work.
	Session *Session
	Ordinal int // of the session
	Ask     *Ask
	Show    *Show
	Task    *Task
}

// plan is a line of a course's schedule with its slides.
type plan struct {
	*Item
	Slides []*slide
}

// Slides returns the slides of the page's course, in the order of its schedule. A
// session has one for its title, a question and a thing to show have one each.
func (p *page) Slides() []*slide {
	var slides []*slide
	for _, of := range p.Plans() {
		slides = append(slides, of.Slides...)
	}
	return slides
}

// Plans returns the lines of the schedule of the page's course.
func (p *page) Plans() []*plan {
	var plans []*plan
	number := 0
	for i := range p.Course.Sessions {
		session := &p.Course.Sessions[i]
		for j := range session.Items {
			of := &plan{Item: &session.Items[j]}
			if number == 0 {
				of.Slides = append(of.Slides, &slide{Kind: "course"})
			}
			if j == 0 {
				of.Slides = append(of.Slides, &slide{Kind: "session", Session: session, Ordinal: i + 1})
			}
			of.Slides = append(of.Slides, of.slides()...)
			for _, s := range of.Slides {
				number++
				s.Number, s.Plan = number, of
			}
			plans = append(plans, of)
		}
	}
	return plans
}

// slides returns those of the item itself. A note with nothing to look at has one
// with its title, as work has.
func (i *Item) slides() []*slide {
	var slides []*slide
	switch {
	case i.Task != nil:
		return []*slide{{Kind: "task", Task: i.Task}}
	case i.Break:
		return []*slide{{Kind: "break"}}
	case i.Note != nil:
		for k := range i.Note.Asks {
			slides = append(slides, &slide{Kind: "ask", Ask: &i.Note.Asks[k]})
		}
		slides = append(slides, i.typed()...)
		for k := range i.Note.Shows {
			show := &i.Note.Shows[k]
			slides = append(slides, &slide{Kind: show.Kind, Show: show})
		}
	}
	if len(slides) == 0 {
		slides = append([]*slide{{Kind: "work"}}, i.typed()...)
	}
	for k := range i.Asks {
		slides = append(slides, &slide{Kind: "ask", Ask: &i.Asks[k]})
	}
	return slides
}

// typed returns a slide for each listing of what a room types, which stands in what
// there is to say of the item.
func (i *Item) typed() []*slide {
	var slides []*slide
	for n := range i.Body.All() {
		if !node.Is(n, "figure", "illustration") {
			continue
		}
		show := &Show{Kind: "code", Title: i.Title, Body: node.List{n}}
		for line := range strings.Lines(node.List{show.Body.Find("pre", "")}.Text()) {
			show.Lines, show.Columns = show.Lines+1, max(show.Columns, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
		}
		slides = append(slides, &slide{Kind: show.Kind, Show: show})
	}
	return slides
}

// Asked returns those of the line's slides that ask something.
func (p *plan) Asked() []*slide {
	return slices.DeleteFunc(slices.Clone(p.Slides), func(s *slide) bool { return s.Ask == nil })
}

// First returns the number of the first of the line's slides.
func (p *plan) First() int { return p.Slides[0].Number }

// Topic returns the title of what is looked at.
func (s *slide) Topic() string {
	if s.Show.Kind == "code" || s.Show.Kind == "transcript" {
		return cmp.Or(s.Show.Title, s.Plan.Title)
	}
	return s.Plan.Title
}

// Tall reports whether what is shown is a drawing that leaves no room above it and
// below.
func (s *Show) Tall() bool {
	drawing := s.Body.Find("svg", "")
	if s.Kind != "figure" || drawing == nil {
		return false
	}
	var width, height float64
	_, err := fmt.Sscanf(node.Get(drawing, "viewBox"), "0 0 %g %g", &width, &height)
	return err == nil && height > .65*width
}

// High returns how many lines a slide has at most at a time: it plays a transcript.
func (s *Show) High() int { return min(s.Lines, 18) }

// Told returns of the answer what the room is told. What people say instead is for
// the one who asks.
func (a *Ask) Told() node.List {
	told := node.New("div", a.Answer.Clone())
	for n := range told.Descendants() {
		if !node.Is(n, "em", "") || (node.List{n}).Text() != "People say" {
			continue
		}
		if before := n.PrevSibling; before != nil {
			before.Data = strings.TrimRight(before.Data, " \n")
		}
		for at := n; at != told; at = at.Parent {
			for at.NextSibling != nil {
				at.Parent.RemoveChild(at.NextSibling)
			}
		}
		if n.Parent.FirstChild == n && n.Parent != told {
			n = n.Parent
		}
		n.Parent.RemoveChild(n)
		break
	}
	if strings.TrimSpace(node.List{told}.Text()) == "" {
		return a.Answer
	}
	return node.Inside(told)
}

// Ends returns when the item ends.
func (i Item) Ends() string { return course.Clock(i.At + i.Minutes) }
