package weave

import (
	"fmt"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// card is an exercise on the page.
type card struct {
	chapter  *Chapter
	exercise *exercise.Exercise
}

// card resolves a reference to an exercise.
func (c *Chapter) card(ref book.Reference) (element, error) {
	e := c.Exercise(ref.Path)
	switch {
	case e == nil:
		return nothing{}, nil // its file exists: its errors were reported
	case ref.Fragment != "":
		return nil, fmt.Errorf("an exercise is woven in whole, without #%s", ref.Fragment)
	case ref.Text != book.Typographic(e.Title):
		return nil, fmt.Errorf("exercise %s is called %q, not %q", e.Number, e.Title, ref.Text)
	}
	c.Cards[e.Number] = ref.Part
	return &card{c, e}, nil
}

// missingCards reports exercises that the chapter does not show.
func (c *Chapter) missingCards() error {
	var errs []error
	for _, e := range c.Exercises {
		if c.Cards[e.Number] == nil && c.Lent[e.Number] == nil {
			errs = append(errs, source.At(e.File, 1, "exercise %s is on no page: its chapter needs [%s](exercises/%s.md)", e.Number, e.Title, e.Number))
		}
		if e.Kind == exercise.Write && len(c.Answers[e.Number]) == 0 {
			errs = append(errs, source.At(e.File, 1, "the answer of exercise %s is on no page", e.Number))
		}
		if e.Difficulty == "" {
			errs = append(errs, source.At(e.File, 1, "front matter needs a difficulty: easy, medium or hard"))
		}
		if e.Summary == "" {
			errs = append(errs, source.At(e.File, 1, "front matter needs a summary: two sentences, for the page that leads to exercise %s", e.Number))
		}
	}
	return source.Join(errs...)
}

// nodes returns what a page says of an exercise, which is told on its own page.
func (c *card) nodes(p *page) node.List {
	e := c.exercise
	id := "exercise-" + e.Number
	title := node.New("a", node.Href(c.chapter.ListingOf("exercises/"+e.Number+".md")), book.Typographic(e.Title))
	return node.List{node.New("section", node.Class("exercise"), node.ID(id), node.Attr("aria-labelledby", id+"-title"),
		node.New("h3", node.ID(id+"-title"), "Exercise "+e.Number+" ", node.New("em", title)),
		p.prose(e, e.Summary, 1), node.New("p", node.Class("meta"), kindOf(e)))}
}

func (*card) count(c *Counts) { c.Exercises++ }
