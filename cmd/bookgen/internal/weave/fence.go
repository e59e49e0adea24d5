package weave

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/internal/source"
)

// illustration is code that was typed into the prose, with the reason.
type illustration struct {
	code   node.List
	reason string
}

var reason = regexp.MustCompile(`^(\S+)\s+illustration="([^"]+)"$`)

// replaceFences marks up fenced code, which in a chapter must say why it is not
// woven in.
func replaceFences(doc *book.Document, needReason bool) error {
	var errs []error
	doc.Walk(func(n ast.Node) bool {
		var element element
		var err error
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			element, err = fence(doc, n, needReason)
		case *ast.CodeBlock:
			err = fmt.Errorf("indented code: use a fence that says ```go illustration=\"why it is not woven\"")
		default:
			return true
		}
		if err != nil {
			errs = append(errs, source.At(doc.File, doc.Line(n), "%v", err))
			return false
		}
		replace(n, &prose.Block{Element: element, Line: doc.Line(n)})
		return false
	})
	return source.Join(errs...)
}

func fence(doc *book.Document, n *ast.FencedCodeBlock, needReason bool) (element, error) {
	info := ""
	if n.Info != nil {
		info = strings.TrimSpace(string(n.Info.Value(doc.Source)))
	}
	language, why := info, ""
	if m := reason.FindStringSubmatch(info); m != nil {
		language, why = m[1], m[2]
	} else if needReason {
		return nil, fmt.Errorf("code that is not woven needs a reason: ```go illustration=\"…\", not ```%s", info)
	}
	if language == "" {
		language = "text"
	}
	code, err := highlight.Other(language, strings.TrimRight(string(n.Lines().Value(doc.Source)), "\n"))
	return &illustration{code: code, reason: book.Typographic(why)}, err
}

func (i *illustration) nodes(*page) node.List {
	figure := node.New("figure", node.Class("code illustration"))
	if i.reason != "" {
		node.Add(figure, node.New("figcaption", i.reason))
	}
	node.Add(figure, listed(i.code))
	return node.List{figure}
}
