package site

import (
	"fmt"
	"slices"
	"strings"

	"reconcile/internal/workshop/course"
)

const (
	teachTitle   = "To teach with it"
	eveningTitle = "The evening before"
	eveningPath  = TeachFolder + "/evening.html"
)

// teachPages returns the pages of those who teach; of a book without courses there
// are none.
func teachPages(b *Book) []*page {
	if len(b.Courses) == 0 {
		return nil
	}
	list := []*page{{Path: Pages["teach"], Kind: "teach", Heading: title(teachTitle, b.Title),
		Description: "Courses made of " + b.Title + ", each with a schedule by the clock, notes and slides; and what a workshop needs besides."},
		{Path: eveningPath, Kind: "evening", Heading: title(eveningTitle, b.Title),
			Description: "What somebody who comes to a course does the evening before: what to bring, what to install, and a command that says whether the machine is ready."}}
	for _, c := range b.Courses {
		list = append(list,
			&page{Path: c.Path("index.html"), Kind: "course", Course: c, Heading: title(c.Title+": the schedule", b.Title), Description: c.Summary},
			&page{Path: c.Path("notes.html"), Kind: "notes", Course: c, Heading: title(c.Title+": notes", b.Title),
				Description: "What to say, to ask and to show, and what goes wrong in a room: " + c.Title + ", in the order of its schedule."})
		list = append(list, slidePages(b, c)...)
		list = append(list, handoutPages(b, c)...)
	}
	return list
}

// For returns the page as one of a course.
func (p *page) For(c *Course) *page {
	of := *p
	of.Course = c
	return &of
}

// Path returns the path of one of the course's pages from the site's root.
func (c *Course) Path(file string) string { return TeachFolder + "/" + c.Slug + "/" + file }

// Times says when the course takes place.
func (c *Course) Times() string {
	times := course.Clock(c.Start) + " to " + course.Clock(c.Start+c.Target)
	if c.Evenings > 1 {
		return fmt.Sprintf("%d evenings, %s", c.Evenings, times)
	}
	return times
}

// Spare says by how much the course ends before its end, or nothing. Of several
// evenings it is the fullest that counts.
func (c *Course) Spare() string {
	most := 0
	for _, s := range c.Sessions {
		last := s.Items[len(s.Items)-1]
		if end := last.At + last.Minutes; end > most {
			most = end
		}
	}
	if spare := c.Start + c.Target - most; spare > 0 {
		return count(spare, "minute")
	}
	return ""
}

// Exercises returns the course's exercises, in their order.
func (c *Course) Exercises() []*Task {
	var tasks []*Task
	for _, s := range c.Sessions {
		for _, item := range s.Items {
			if item.Task != nil {
				tasks = append(tasks, item.Task)
			}
		}
	}
	return tasks
}

// Holds says how many exercises the course has.
func (c *Course) Holds() string { return count(len(c.Exercises()), "exercise") }

// Measured reports whether any of the course's minutes is no guess.
func (c *Course) Measured() bool {
	return slices.ContainsFunc(c.Exercises(), func(t *Task) bool { return t.People > 0 })
}

// Begins reports whether an evening begins with the session.
func (c *Course) Begins(s sitting) bool {
	if c.Evenings < 2 {
		return false
	}
	first := slices.IndexFunc(c.Sessions, func(other Session) bool { return other.Evening == s.Evening })
	return c.Sessions[first].ID == s.ID
}

// Clock returns when the item begins.
func (i Item) Clock() string { return course.Clock(i.At) }

// sitting is a session with the lines of its schedule.
type sitting struct {
	*Session
	Plans []*plan
}

// Sittings returns the sessions of the page's course.
func (p *page) Sittings() []sitting {
	var all []sitting
	plans := p.Plans()
	for i := range p.Course.Sessions {
		s := &p.Course.Sessions[i]
		all = append(all, sitting{s, plans[:len(s.Items)]})
		plans = plans[len(s.Items):]
	}
	return all
}

// Own returns the number of the line's first slide that is no title of the course
// or of the session.
func (p *plan) Own() int {
	return p.Slides[slices.IndexFunc(p.Slides, func(s *slide) bool { return s.Kind != "course" && s.Kind != "session" })].Number
}

// Shows returns the slides of the line that have something to look at.
func (p *plan) Shows() []*slide {
	return slices.DeleteFunc(slices.Clone(p.Slides), func(s *slide) bool { return s.Show == nil })
}

// Counted says whose minutes an exercise's are, and how many where the course has
// others.
func (i Item) Counted() string {
	said := "a guess"
	if i.Task.People > 0 {
		said = fmt.Sprintf("the median of %d people", i.Task.People)
	}
	if i.Task.Minutes == i.Minutes {
		return said
	}
	return fmt.Sprintf("on its card %d min, %s", i.Task.Minutes, said)
}

// Name returns what a note calls the thing to show.
func (s Show) Name() string {
	if s.Title != "" {
		return s.Title
	}
	return map[string]string{"figure": "The figure", "table": "The table"}[s.Kind]
}

// teachText returns what the search finds of the pages of those who teach.
func teachText(b *Book) []SearchEntry {
	if len(b.Courses) == 0 {
		return nil
	}
	entries := []SearchEntry{{
		Kind: "part", Title: teachTitle, Href: Pages["teach"], Others: "workshop, teach, instructor",
		Text: "Courses with a schedule, slides, notes and a handout. The book in a folder that needs no network, a machine that is ready, and a board that shows where a class is.",
	}, {
		Kind: "part", Title: eveningTitle, Href: eveningPath, Others: "participants, what to bring",
		Text: "For everybody who comes to a course: what to bring, what to install, and a command that says whether the machine is ready.",
	}}
	for _, c := range b.Courses {
		var text []string
		for _, s := range c.Sessions {
			text = append(text, s.Title)
		}
		entries = append(entries,
			SearchEntry{Kind: "part", Title: c.Title, Href: c.Path("index.html"), Others: "schedule",
				Text: c.Summary + " " + strings.Join(text, ". ") + "."},
			SearchEntry{Kind: "part", Title: c.Title + ": notes", Href: c.Path("notes.html"), Others: "notes",
				Text: "What to say, to ask and to show, and what goes wrong in a room."},
			SearchEntry{Kind: "part", Title: c.Title + ": slides", Href: c.Path("slides.html"), Others: "slides",
				Text: "What a room looks at together. With p they open a window for the one who presents: notes, the next slide, and the clock against the plan."},
			SearchEntry{Kind: "part", Title: c.Title + ": the handout", Href: c.Path("handout.html"), Others: "handout",
				Text: "The exercises of the course on paper, without hints and answers, with room to write. The answers are a page of their own."})
	}
	return entries
}
