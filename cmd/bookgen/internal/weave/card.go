package weave

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
	"reconcile/internal/words"
)

// card is an exercise on the page.
type card struct {
	chapter   *Chapter
	exercise  *exercise.Exercise
	statement *book.Document
	hints     []*book.Document
	answer    *book.Document // of a question
}

// card resolves a reference to an exercise.
func (c *Chapter) card(ref book.Reference) (element, error) {
	e := c.exercise(ref.Path)
	switch {
	case e == nil:
		return nothing{}, nil // its file exists: its errors were reported
	case ref.Fragment != "":
		return nil, fmt.Errorf("an exercise is woven in whole, without #%s", ref.Fragment)
	case ref.Text != book.Typographic(e.Title):
		return nil, fmt.Errorf("exercise %s is called %q, not %q", e.Number, e.Title, ref.Text)
	}
	c.cards[e.Number] = ref.Part
	return c.newCard(e)
}

// exercise returns the exercise whose file is named, below the chapter's folder,
// or nil.
func (c *Chapter) exercise(name string) *exercise.Exercise {
	for _, e := range c.Exercises {
		if name == "exercises/"+e.Number+".md" {
			return e
		}
	}
	return nil
}

// newCard parses the exercise's texts. Its wrong answers are named on the page;
// the page of the exercise's file tells of them.
func (c *Chapter) newCard(e *exercise.Exercise) (*card, error) {
	card := &card{chapter: c, exercise: e}
	var errs []error
	parse := func(text string, line int) *book.Document {
		doc, err := book.Parse(e.File, []byte(text), line)
		errs = append(errs, err, replaceFences(doc, false))
		return doc
	}
	card.statement = parse(string(e.Statement), e.StatementLine)
	for i, hint := range e.Hints {
		card.hints = append(card.hints, parse(hint, e.HintLines[i]))
	}
	card.answer = parse(string(e.Answer), e.AnswerLine)
	return card, source.Join(errs...)
}

// missingCards reports exercises that the chapter does not show.
func (c *Chapter) missingCards() error {
	var errs []error
	for _, e := range c.Exercises {
		if c.cards[e.Number] == nil && c.Lent[e.Number] == nil {
			errs = append(errs, source.At(e.File, 1, "exercise %s is on no page: its chapter needs [%s](exercises/%s.md)", e.Number, e.Title, e.Number))
		}
		if e.Kind == exercise.Write && len(c.answers[e.Number]) == 0 {
			errs = append(errs, source.At(e.File, 1, "the answer of exercise %s is on no page", e.Number))
		}
		if len(c.Core) > 0 && e.Summary == "" {
			errs = append(errs, source.At(e.File, 1, "front matter needs a summary: two sentences, for the page that leads to exercise %s", e.Number))
		}
	}
	return source.Join(errs...)
}

func (c *card) html(p *page) string {
	if c.exercise.Summary != "" {
		return c.brief(p)
	}
	e := c.exercise
	var b strings.Builder
	id := "exercise-" + e.Number
	fmt.Fprintf(&b, "<section class=exercise id=%s aria-labelledby=%s-title><h3 id=%s-title>Exercise %s <em>%s</em></h3>",
		id, id, id, e.Number, escaped(book.Typographic(e.Title)))
	fmt.Fprintf(&b, "<p class=meta>%s</p>", strings.Join(append([]string{kindOf(e)}, c.files(p)...), " · "))
	b.WriteString(p.render(c.statement))
	b.WriteString(c.task(p))
	for i, hint := range c.hints {
		fmt.Fprintf(&b, "<details class=hint><summary>Hint %d of %d</summary>%s</details>", i+1, len(c.hints), p.render(hint))
	}
	b.WriteString(c.solution(p) + "</section>")
	return b.String()
}

// brief returns what a page says of an exercise that is told on its own page.
func (c *card) brief(p *page) string {
	e := c.exercise
	id := "exercise-" + e.Number
	return fmt.Sprintf("<section class=\"exercise brief\" id=%[1]s aria-labelledby=%[1]s-title>"+
		"<h3 id=%[1]s-title>Exercise %[2]s <em><a href=%[3]sexercises/%[2]s.md.html>%[4]s</a></em></h3>"+
		"<p>%[5]s</p><p class=meta>%[6]s</p></section>",
		id, e.Number, p.to(c.chapter), escaped(book.Typographic(e.Title)), escaped(book.Typographic(e.Summary)), kindOf(e))
}

// files returns links to the files of the chapter that hold the functions to
// write.
func (c *card) files(p *page) []string {
	var links []string
	var before *source.File
	if c.exercise.Kind != exercise.Write {
		return nil
	}
	for _, f := range c.exercise.Functions {
		if f.File != before {
			links = append(links, fmt.Sprintf("<a href=%s>%s</a>", p.to(c.chapter)+c.chapter.listingHref(f.File, f.Line), c.chapter.name(f.File)))
		}
		before = f.File
	}
	return links
}

func (c *card) judges(p *page) string {
	var links []string
	for _, test := range c.exercise.Tests {
		links = append(links, p.testLink(test, test.Name))
	}
	return words.List(links)
}

func (p *page) testLink(test *source.Decl, name string) string {
	return fmt.Sprintf("<a href=%s><code>%s</code></a>", p.to(p.chapter)+p.chapter.listingHref(test.File, test.Line), escaped(name))
}
