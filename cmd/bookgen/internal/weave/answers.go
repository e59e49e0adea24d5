package weave

import (
	"fmt"
	"html/template"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// exercisePage is the page of an exercise's file: what its card shows, and the
// answers that look right, in full and folded, for who has tried. Where a line
// of the file begins something, its number is the id of that, as on any listing.
func (v *volume) exercisePage(c *Chapter, name string, e *exercise.Exercise) (site.Listing, error) {
	p := &page{volume: v, chapter: c, folder: c.Slug + "/exercises"}
	var b strings.Builder
	fmt.Fprintf(&b, "<p class=meta>about %d minutes · <a href=%s>the exercise in its chapter</a></p>",
		e.Minutes, p.at(c.cardPart(e.Number), "exercise-"+e.Number))
	fmt.Fprintf(&b, "<div id=L%d>%s</div>", e.StatementLine, p.prose(e, string(e.Statement), e.StatementLine))
	b.WriteString((&card{chapter: c, exercise: e}).task(p))
	b.WriteString("<h2>Hints</h2>")
	for i, hint := range e.Hints {
		line := e.HintLines[i]
		fmt.Fprintf(&b, "<details class=hint id=L%d><summary>Hint %d of %d</summary>%s</details>",
			line, i+1, len(e.Hints), p.prose(e, hint, line))
	}
	b.WriteString("<h2>Answers that look right</h2>")
	for _, w := range e.Wrong {
		b.WriteString(p.wrong(e, w))
	}
	return site.Listing{
		File: name, Title: book.Typographic("Exercise " + e.Number + " · " + e.Title),
		Body: template.HTML(b.String()), Prose: true,
	}, source.Join(p.errs...)
}

func (p *page) wrong(e *exercise.Exercise, w exercise.WrongAnswer) string {
	code, err := highlight.Other("go", strings.TrimRight(string(w.Code), "\n"))
	if err != nil {
		p.errs = append(p.errs, source.At(e.File, w.Line, "%v", err))
	}
	return fmt.Sprintf("<details class=wrong id=L%d><summary>%s</summary>%s<figure class=code><pre tabindex=0><code>%s</code></pre></figure><p class=caught>Caught by %s.</p></details>",
		w.Line, escaped(book.Typographic(w.Name)), p.prose(e, w.Why, w.Line+1), code, p.tests(w.CaughtBy))
}

// prose renders a part of an exercise's file.
func (p *page) prose(e *exercise.Exercise, text string, line int) string {
	doc, err := book.Parse(e.File, []byte(text), line)
	if err = source.Join(err, replaceFences(doc, false)); err != nil {
		p.errs = append(p.errs, err)
	}
	return p.render(doc)
}

// tests are links to tests by name; of a subtest "TestX/name" to TestX.
func (p *page) tests(names []string) string {
	var links []string
	for _, name := range names {
		top, _, _ := strings.Cut(name, "/")
		for _, file := range p.chapter.Code.Files {
			if decl, err := p.chapter.Code.Lookup(file.Name, top); err == nil && file.Test {
				links = append(links, p.testLink(decl, name))
			}
		}
	}
	return enumerate(links)
}
