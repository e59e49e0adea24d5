package weave

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// questions renders a definition list, which needs no element of its own: each
// of its terms begins a fold.
func (w *weaver) questions(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

// question begins a fold; the question is its summary.
func (w *weaver) question(out util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	fold, title := w.page.foldTags()
	if entering {
		out.WriteString("<" + fold + " class=\"answer question\"><" + title + ">")
	} else {
		out.WriteString("</" + title + ">\n")
	}
	return ast.WalkContinue, nil
}

// answer renders an answer in the fold that its question began. The last one
// closes it.
func (w *weaver) answer(out util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if next := n.NextSibling(); !entering && (next == nil || next.Kind() == extast.KindDefinitionTerm) {
		fold, _ := w.page.foldTags()
		out.WriteString("</" + fold + ">\n")
	}
	return ast.WalkContinue, nil
}
