package weave

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// exercisePage returns the page of an exercise's file: what there is to do, and hints
// and the answers that look right, in full and folded, for readers who have
// tried. An element that begins on a line of the file has the line's number as
// its id, as on any listing.
func (v *volume) exercisePage(c *Chapter, name string, e *exercise.Exercise) (site.Listing, error) {
	p := v.page(c, nil, c.Slug+"/exercises")
	about := node.New("p", node.Class("meta"), kindOf(e))
	for _, file := range p.files(e) {
		node.Add(about, " · ", file)
	}
	node.Add(about, " · ", node.New("a", node.Href(c.CardAddress(e.Number)), "the exercise in its chapter"))
	body := node.List{about, node.New("div", lineID(e.StatementLine), p.prose(e, string(e.Statement), e.StatementLine))}
	body = append(body, p.task(e)...)
	if len(e.Hints) > 0 {
		body = append(body, node.New("h2", "Hints"))
	}
	for i, hint := range e.Hints {
		line := e.HintLines[i]
		body = append(body, fold("hint", line, fmt.Sprintf("Hint %d of %d", i+1, len(e.Hints)), p.prose(e, hint, line)))
	}
	body = append(body, p.answers(e)...)
	if to := p.inPlace(e); to != nil {
		body = append(body, to)
	}
	return site.Listing{
		File: name, Title: book.Typographic("Exercise " + e.Number + " · " + e.Title), Body: body, Sheet: sheetOf(e),
	}, source.Join(p.errs...)
}

// sheetOf returns what a run is predicted on, on the page of an exercise that asks for it.
func sheetOf(e *exercise.Exercise) *site.Sheet {
	if e.Kind != exercise.Predict {
		return nil
	}
	s := &site.Sheet{Number: e.Number, Title: e.Title, Chapter: e.Chapter, Lines: e.Run.Lines, Rows: e.Run.Rows}
	s.Head, s.Given, _ = strings.Cut(string(e.Sheet()), "\n\n")
	for _, p := range e.Predictions {
		s.Predictions = append(s.Predictions, site.WrongPrediction{Name: p.Name, At: p.At, First: p.Lines[0], Line: p.Line})
	}
	return s
}

// lineID names an element by the line of the file that it begins on.
func lineID(line int) html.Attribute { return node.ID(fmt.Sprint("L", line)) }

// fold returns a text behind its title.
func fold(class string, line int, title string, text ...any) *html.Node {
	parts := []any{node.Class(class), node.New("summary", title)}
	if line > 0 {
		parts = append(parts, lineID(line))
	}
	return node.New("details", append(parts, text...)...)
}

// answers returns the end of an exercise's page, by its kind.
func (p *page) answers(e *exercise.Exercise) node.List {
	var all node.List
	switch e.Kind {
	case exercise.Predict:
		all = append(all, node.New("h2", "Predictions that sound right"))
		for _, w := range e.Predictions {
			run := runNode(fmt.Sprintf("From line %d on", w.At), w.Lines)
			all = append(all, fold("wrong", w.Line, book.Typographic(w.Name), run, p.prose(e, w.Why, w.Line+1)))
		}
		return all
	case exercise.Debug:
		return node.List{p.folded(e, e.Fault(), "What was wrong")}
	case exercise.Design:
		return node.List{fold("wrong", e.AnswerLine, "An answer", p.prose(e, string(e.Answer), e.AnswerLine))}
	case exercise.Extend:
		all = append(all, fold("wrong", 0, "An answer", p.listed(e)))
	}
	all = append(all, node.New("h2", "Answers that look right"))
	for _, w := range e.Wrong {
		all = append(all, p.folded(e, w, w.Name))
	}
	return all
}

// listed returns the answer of an exercise that has a package of its own.
func (p *page) listed(e *exercise.Exercise) *html.Node {
	file := e.Functions[0].File
	return node.New("figure", node.Class("code"), node.New("figcaption", e.Path(file.Name)), listed(inGo(file.Content)))
}

// inGo returns code that has no links.
func inGo(code []byte) node.List {
	code = bytes.TrimRight(code, "\n")
	return highlight.NewCode(code, nil).Nodes(0, len(code), nil)
}

// folded returns a wrong answer, folded for readers who have tried.
func (p *page) folded(e *exercise.Exercise, w exercise.WrongAnswer, summary string) *html.Node {
	wrong := fold("wrong", w.Line, book.Typographic(summary), p.prose(e, w.Why, w.Line+1),
		node.New("figure", node.Class("code"), listed(inGo(w.Code))))
	if len(w.CaughtBy) > 0 {
		node.Add(wrong, node.New("p", node.Class("caught"), "Caught by ", sentence(p.tests(e, w.CaughtBy)), "."))
	}
	return wrong
}

// prose renders a part of an exercise's file.
func (p *page) prose(e *exercise.Exercise, text string, line int) node.List {
	doc, err := book.Parse(e.File, []byte(text), line)
	if err = source.Join(err, replaceFences(doc, false)); err != nil {
		p.errs = append(p.errs, err)
	}
	return p.render(doc)
}

// tests returns links to tests by name, if the chapter has them; of a subtest
// "TestX/name" to TestX.
func (p *page) tests(e *exercise.Exercise, names []string) []*html.Node {
	var links []*html.Node
	for _, name := range names {
		if e.Apart() {
			links = append(links, node.New("code", name))
			continue
		}
		top, _, _ := strings.Cut(name, "/")
		for _, file := range p.chapter.Program(e.Folder).Files {
			for _, decl := range file.Decls {
				if file.Test && decl.Name == top {
					links = append(links, p.testLink(decl, name))
				}
			}
		}
	}
	return links
}
