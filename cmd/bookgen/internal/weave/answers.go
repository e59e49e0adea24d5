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
	"reconcile/internal/words"
)

// exercisePage returns the page of an exercise's file: what there is to do, and hints
// and the answers that look right, in full and folded, for readers who have
// tried. An element that begins on a line of the file has the line's number as
// its id, as on any listing.
func (v *volume) exercisePage(c *Chapter, name string, e *exercise.Exercise) (site.Listing, error) {
	p := &page{volume: v, chapter: c, folder: c.Slug + "/exercises"}
	var b strings.Builder
	about := append([]string{kindOf(e)}, p.files(e)...)
	fmt.Fprintf(&b, "<p class=meta>%s · <a href=%s>the exercise in its chapter</a></p>",
		strings.Join(about, " · "), p.toCard(c, e.Number))
	fmt.Fprintf(&b, "<div id=L%d>%s</div>", e.StatementLine, p.prose(e, string(e.Statement), e.StatementLine))
	b.WriteString(p.task(e))
	if len(e.Hints) > 0 {
		b.WriteString("<h2>Hints</h2>")
	}
	for i, hint := range e.Hints {
		line := e.HintLines[i]
		b.WriteString(p.fold(fmt.Sprintf("class=hint id=L%d", line), fmt.Sprintf("Hint %d of %d", i+1, len(e.Hints)), p.prose(e, hint, line)))
	}
	b.WriteString(p.answers(e) + p.inPlace(e))
	return site.Listing{
		File: name, Title: book.Typographic("Exercise " + e.Number + " · " + e.Title),
		Body: template.HTML(b.String()), Prose: true,
	}, source.Join(p.errs...)
}

// answers returns the end of an exercise's page, by its kind.
func (p *page) answers(e *exercise.Exercise) string {
	var b strings.Builder
	switch e.Kind {
	case exercise.Predict:
		b.WriteString("<h2>Predictions that sound right</h2>")
		for _, w := range e.Predictions {
			fmt.Fprintf(&b, "<h3 id=L%d>%s</h3>%s%s", w.Line, escaped(book.Typographic(w.Name)),
				p.runHTML(fmt.Sprintf("From line %d on", w.At), w.Lines), p.prose(e, w.Why, w.Line+1))
		}
	case exercise.Debug:
		b.WriteString(p.folded(e, e.Fault(), "What was wrong"))
	case exercise.Design:
		b.WriteString(p.fold(fmt.Sprintf("class=wrong id=L%d", e.AnswerLine), "An answer", p.prose(e, string(e.Answer), e.AnswerLine)))
	default:
		if e.Kind == exercise.Extend {
			b.WriteString(p.fold("class=wrong", "An answer", p.listed(e)))
		}
		b.WriteString("<h2>Answers that look right</h2>")
		for _, w := range e.Wrong {
			b.WriteString(p.folded(e, w, w.Name))
		}
	}
	return b.String()
}

// listed returns the answer of an exercise that has a package of its own.
func (p *page) listed(e *exercise.Exercise) string {
	file := e.Functions[0].File
	code, err := highlight.Other("go", strings.TrimRight(string(file.Content), "\n"))
	if err != nil {
		p.errs = append(p.errs, source.At(file.Path, 1, "%v", err))
	}
	return fmt.Sprintf("<figure class=code><figcaption>%s</figcaption><pre tabindex=0><code>%s</code></pre></figure>",
		escaped(e.Path(file.Name)), code)
}

// folded returns a wrong answer, folded for readers who have tried.
func (p *page) folded(e *exercise.Exercise, w exercise.WrongAnswer, summary string) string {
	code, err := highlight.Other("go", strings.TrimRight(string(w.Code), "\n"))
	if err != nil {
		p.errs = append(p.errs, source.At(e.File, w.Line, "%v", err))
	}
	html := fmt.Sprintf("%s<figure class=code><pre tabindex=0><code>%s</code></pre></figure>", p.prose(e, w.Why, w.Line+1), code)
	if len(w.CaughtBy) > 0 {
		html += "<p class=caught>Caught by " + p.tests(e, w.CaughtBy) + ".</p>"
	}
	return p.fold(fmt.Sprintf("class=wrong id=L%d", w.Line), escaped(book.Typographic(summary)), html)
}

// prose renders a part of an exercise's file.
func (p *page) prose(e *exercise.Exercise, text string, line int) string {
	doc, err := book.Parse(e.File, []byte(text), line)
	if err = source.Join(err, replaceFences(doc, false)); err != nil {
		p.errs = append(p.errs, err)
	}
	return p.render(doc)
}

// tests returns links to tests by name, if the chapter has them; of a subtest
// "TestX/name" to TestX.
func (p *page) tests(e *exercise.Exercise, names []string) string {
	var links []string
	for _, name := range names {
		if e.Apart() {
			links = append(links, "<code>"+escaped(name)+"</code>")
			continue
		}
		top, _, _ := strings.Cut(name, "/")
		for _, file := range p.chapter.program(e.Folder).Files {
			for _, decl := range file.Decls {
				if file.Test && decl.Name == top {
					links = append(links, p.testLink(decl, name))
				}
			}
		}
	}
	return words.List(links)
}
