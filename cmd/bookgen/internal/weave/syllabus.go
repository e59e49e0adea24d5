package weave

import (
	"fmt"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// blocks are what stands in the place of references to the book that are alone in
// their paragraph.
var blocks = map[string]element{"times": times{}, "course": syllabus{}, "all-exercises": quarry{}, "cite": cite{}}

// syllabus is the course for a reader alone: a card for each exercise.
type syllabus struct{}

func (syllabus) nodes(p *page) node.List {
	if p.volume.book.Alone == nil {
		return nil
	}
	var all node.List
	for _, s := range p.volume.book.Alone.Sessions {
		all = append(all, node.Line(node.New("h3", book.Typographic(s.Title)))...)
		for _, number := range s.Exercises() {
			if c, e := p.volume.anyExercise(number); e != nil {
				all = append(append(all, (&card{c, e}).nodes(p)...), node.Text("\n"))
			}
		}
	}
	return all
}

// quarry is all exercises, by their chapters.
type quarry struct{}

func (quarry) nodes(p *page) node.List {
	var all node.List
	for _, of := range p.volume.book.Chapters {
		c := p.volume.chapters[of.Slug]
		if c == nil || len(c.Exercises) == 0 {
			continue
		}
		list := node.New("ol", node.Class("outline exercises"), "\n")
		for _, e := range c.Exercises {
			node.Add(list, node.Line(node.New("li",
				node.New("a", node.Href(c.ListingOf("exercises/"+e.Number+".md")), node.New("span", e.Number), " "+book.Typographic(e.Title)), " ",
				node.New("small", fmt.Sprintf("%s%s · %d min", taskOf[e.Kind], e.Difficulty, e.Minutes)))))
		}
		all = append(all, node.Line(node.New("h3", fmt.Sprintf("%d · %s", of.Number, book.Typographic(of.Title))))...)
		all = append(all, node.Line(list)...)
	}
	return all
}

// anyExercise finds an exercise of any chapter.
func (v *volume) anyExercise(number string) (*Chapter, *exercise.Exercise) {
	for _, c := range v.chapters {
		if e := c.Exercise("exercises/" + number + ".md"); e != nil {
			return c, e
		}
	}
	return nil, nil
}

// checkAlone reports exercises of the course for a reader alone that are not there,
// or are called otherwise.
func (v *volume) checkAlone() error {
	alone := v.book.Alone
	if alone == nil {
		return nil
	}
	var errs []error
	for _, s := range alone.Sessions {
		for _, item := range s.Items {
			_, e := v.anyExercise(item.Exercise)
			switch {
			case e == nil:
				errs = append(errs, source.At(alone.File, item.Line, "there is no exercise %s", item.Exercise))
			case item.Text != e.Number+" "+e.Title || item.Chapter != e.Chapter:
				errs = append(errs, source.At(alone.File, item.Line, "the exercise is called %q, and is of chapter %s", e.Number+" "+e.Title, e.Chapter))
			}
		}
	}
	return source.Join(errs...)
}

// minutesAlone says how long the course for a reader alone takes.
func (v *volume) minutesAlone() (sum int) {
	if v.book.Alone != nil {
		for _, number := range v.book.Alone.Exercises() {
			if _, e := v.anyExercise(number); e != nil {
				sum += e.Minutes
			}
		}
	}
	return sum
}
