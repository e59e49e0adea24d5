package weave

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// predictMark begins a paragraph that asks how a run goes on, before the run.
const predictMark = "predict: "

// answerMark begins the title of a run below a prediction: the words of its line that
// the right continuation comes to.
const answerMark = "answer: "

// foretold is a prediction of a text: its question, and its continuations.
type foretold struct {
	doc               *book.Document
	question, options ast.Node
}

// predictions prepares the questions of a text that ask for a prediction. Each has
// three possible continuations, one of which is right, and the run that it is about
// stands below.
func (c *Chapter) predictions(doc *book.Document) error {
	var errs []error
	doc.Walk(func(n ast.Node) bool {
		if n.Kind() != ast.KindParagraph || !bytes.HasPrefix(n.Lines().Value(doc.Source), []byte(predictMark)) {
			return true
		}
		if err := c.prediction(doc, n); err != nil {
			errs = append(errs, source.At(doc.File, doc.Line(n), "%v", err))
		}
		return true
	})
	return source.Join(errs...)
}

func (c *Chapter) prediction(doc *book.Document, question ast.Node) error {
	list, ok := question.NextSibling().(*extast.DefinitionList)
	if !ok {
		return fmt.Errorf("a prediction has its three continuations below it, each with what is to be said of it")
	}
	options, right := 0, 0
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == extast.KindDefinitionTerm {
			options++
			continue
		}
		switch said := doc.Text(n); {
		case strings.HasPrefix(said, "Yes"):
			right++
		case !strings.HasPrefix(said, "No"):
			return fmt.Errorf("a continuation is told Yes or No, and why: %.40q", said)
		}
	}
	if options != 3 || right != 1 {
		return fmt.Errorf("a prediction has three continuations, one of them right: here are %d, and %d right", options, right)
	}
	run, ok := list.NextSibling().(*prose.Block)
	if !ok || !isRun(run.Element) {
		return fmt.Errorf("below a prediction stands the run that it is about")
	}
	c.foretold[idOf(run.Element)] = &foretold{doc, question, list}
	prose.Predict(question)
	first := question.FirstChild().(*ast.Text)
	first.Segment = first.Segment.WithStart(first.Segment.Start + len(predictMark))
	label := ast.NewEmphasis(2)
	label.AppendChild(label, ast.NewString([]byte("Predict.")))
	question.InsertBefore(question, first, label)
	question.InsertBefore(question, first, ast.NewString([]byte(" ")))
	return nil
}

// isRun reports whether an element shows what has happened.
func isRun(e any) bool {
	_, ok := e.(happened)
	return ok
}

// idOf returns the id of a run on its page.
func idOf(run any) string {
	switch e := run.(type) {
	case *transcript:
		return e.id
	case *output:
		return e.id
	}
	return ""
}

// answering resolves a reference to a run that answers the prediction above it.
func (c *Chapter) answering(ref book.Reference, words string) (element, error) {
	ref.Title = ""
	e, err := c.element(ref)
	run, ok := e.(shown)
	if err != nil || !ok {
		return e, err
	}
	for _, scene := range run.show(&site.Show{}) {
		for _, line := range scene {
			if strings.Contains(closed(line), closed(words)) {
				return e, nil
			}
		}
	}
	return nil, fmt.Errorf("%s has no line with the answer to the prediction: %q", snippet.Address(ref), words)
}

// closed returns a line without the width of its columns.
func closed(line string) string { return strings.Join(strings.Fields(line), " ") }

// ask makes a question to a room of a prediction: what people say is what is wrong.
func (f *foretold) ask(p *page) site.Ask {
	options := node.New("ul")
	ask := site.Ask{Question: append(p.resolved(f.doc, f.question)[2:], options)} // without its label
	var right, wrong node.List
	for n := f.options.FirstChild(); n != nil; n = n.NextSibling().NextSibling() {
		option := p.resolved(f.doc, n)
		node.Add(options, node.New("li", option.Clone()))
		said := node.New("div", option, " ", p.resolved(f.doc, n.NextSibling()))
		if strings.HasPrefix(f.doc.Text(n.NextSibling()), "Yes") {
			right = node.List{said}
		} else {
			wrong = append(wrong, said)
		}
	}
	ask.Answer = append(append(right, node.New("p", node.New("em", "People say"), " otherwise:")), wrong...)
	return ask
}
