package weave

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// blocks are what stands in the place of references to the book that are alone in
// their paragraph.
var blocks = map[string]element{"times": times{}, "course": syllabus{}, "all-exercises": quarry{}}

// syllabus is the course for a reader alone: a card for each exercise.
type syllabus struct{}

func (syllabus) html(p *page) string {
	var b strings.Builder
	if p.volume.book.Alone == nil {
		return ""
	}
	for _, s := range p.volume.book.Alone.Sessions {
		fmt.Fprintf(&b, "<h3>%s</h3>\n", escaped(book.Typographic(s.Title)))
		for _, number := range s.Exercises() {
			if c, e := p.volume.anyExercise(number); e != nil {
				b.WriteString((&card{c, e}).html(p) + "\n")
			}
		}
	}
	return b.String()
}

// quarry is all exercises, by their chapters.
type quarry struct{}

func (quarry) html(p *page) string {
	var b strings.Builder
	for _, of := range p.volume.book.Chapters {
		c := p.volume.chapters[of.Slug]
		if c == nil || len(c.Exercises) == 0 {
			continue
		}
		fmt.Fprintf(&b, "<h3>%d · %s</h3>\n<ol class=\"outline exercises\">\n", of.Number, escaped(book.Typographic(of.Title)))
		for _, e := range c.Exercises {
			fmt.Fprintf(&b, "<li><a href=%[1]sexercises/%[2]s.md.html><span>%[2]s</span> %[3]s</a> <small>%[4]s%[5]s · %[6]d min</small></li>\n",
				p.to(c), e.Number, escaped(book.Typographic(e.Title)), taskOf[e.Kind], e.Difficulty, e.Minutes)
		}
		b.WriteString("</ol>\n")
	}
	return b.String()
}

// anyExercise finds an exercise of any chapter.
func (v *volume) anyExercise(number string) (*Chapter, *exercise.Exercise) {
	for _, c := range v.chapters {
		if e := c.exercise("exercises/" + number + ".md"); e != nil {
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
