package prose

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// wordsOfID are so many of a question's words as make its id.
const wordsOfID = 8

// questionID returns the address of a question on its page: q-, and its first words.
func (s *text) questionID(n ast.Node) string {
	words := strings.SplitN(book.Slug(s.doc.Text(n)), "-", wordsOfID+1)
	id := "q-" + strings.Join(words[:min(len(words), wordsOfID)], "-")
	if s.named[id]++; s.named[id] > 1 {
		id += fmt.Sprint("-", s.named[id])
	}
	return id
}

// predicts is the attribute of a paragraph that asks for a prediction.
const predicts = "predicts"

// Predict says of a paragraph that it asks for a prediction.
func Predict(question ast.Node) { question.SetAttributeString(predicts, true) }

// questions returns the folds of a definition list: each of its terms is a question, with
// the answer folded behind it.
func (s *text) questions(list ast.Node) node.List {
	var all node.List
	var fold *html.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == extast.KindDefinitionTerm {
			fold = node.New("details", node.Class("answer question"), node.ID(s.questionID(n)), node.New("summary", s.inside(n)), "\n")
			all = append(all, node.Line(fold)...)
			continue
		}
		node.Add(fold, s.inside(n))
	}
	return all
}
