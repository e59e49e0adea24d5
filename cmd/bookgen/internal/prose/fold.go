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

// What a node of a text may be besides, as attributes that [Mark] sets.
const (
	Prediction = "prediction" // a paragraph that asks for one
	Right      = "right"      // a continuation that is so
)

// Mark makes a node one of these.
func Mark(n ast.Node, what string) { n.SetAttributeString(what, true) }

func is(n ast.Node, what string) bool {
	_, marked := n.AttributeString(what)
	return marked
}

// questions returns the folds of a definition list: each of its terms is a question, with
// the answer folded behind it.
func (s *text) questions(list ast.Node) node.List {
	var all node.List
	var fold *html.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == extast.KindDefinitionTerm {
			class := "answer question"
			if is(n, Right) {
				class = "answer question right"
			}
			fold = node.New("details", node.Class(class), node.ID(s.questionID(n)), node.New("summary", s.inside(n)), "\n")
			all = append(all, node.Line(fold)...)
			continue
		}
		node.Add(fold, s.inside(n))
	}
	return all
}
