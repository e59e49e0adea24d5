package prose

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// questions returns the folds of a definition list: each of its terms is a question, with
// the answer folded behind it.
func (s *text) questions(list ast.Node) node.List {
	var all node.List
	var fold *html.Node
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == extast.KindDefinitionTerm {
			fold = node.New("details", node.Class("answer question"), node.New("summary", s.inside(n)), "\n")
			all = append(all, node.Line(fold)...)
			continue
		}
		node.Add(fold, s.inside(n))
	}
	return all
}
