package weave

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/internal/source"
)

// predictMark begins a paragraph that asks how a run goes on, before the run.
const predictMark = "predict: "

// predictions prepares the questions of a text that ask for a prediction. Each has
// three possible continuations, one of which is right, and the run that it is about
// stands below.
func predictions(doc *book.Document) error {
	var errs []error
	doc.Walk(func(n ast.Node) bool {
		if n.Kind() != ast.KindParagraph || !bytes.HasPrefix(n.Lines().Value(doc.Source), []byte(predictMark)) {
			return true
		}
		if err := prediction(doc, n); err != nil {
			errs = append(errs, source.At(doc.File, doc.Line(n), "%v", err))
		}
		return true
	})
	return source.Join(errs...)
}

func prediction(doc *book.Document, question ast.Node) error {
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
	if run, ok := list.NextSibling().(*prose.Block); !ok || !isRun(run.Element) {
		return fmt.Errorf("below a prediction stands the run that it is about")
	}
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
