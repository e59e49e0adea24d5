package prose

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/node"
)

// Code breaks behind its slashes and dots where it has to, but no option breaks
// behind its dashes.
var (
	breaks = regexp.MustCompile(`\.\w{4}|/`)
	option = regexp.MustCompile(`(?:^|\s)(--?\w+)`)
)

// short code fits into any line but that of a table.
const short = 16

func (s *text) code(n ast.Node) node.List {
	text := strings.ReplaceAll(s.doc.Text(n), "\n", " ")
	code := node.New("code")
	done := 0
	for _, m := range option.FindAllStringSubmatchIndex(text, -1) {
		node.Add(code, breaking(text[done:m[2]], s.breaks(n, text)), node.New("span", node.Class("nb"), text[m[2]:m[3]]))
		done = m[3]
	}
	node.Add(code, breaking(text[done:], s.breaks(n, text)))
	return node.List{code}
}

// breaks reports whether code may break inside.
func (s *text) breaks(n ast.Node, text string) bool {
	return n.Parent().Kind() == extast.KindTableCell || len(text) > short
}

// breaking returns text with the places at which it may break.
func breaking(text string, may bool) node.List {
	var all node.List
	for may {
		at := breaks.FindStringIndex(text)
		if at == nil {
			break
		}
		all = append(all, node.Text(text[:at[0]+1]), node.New("wbr"))
		text = text[at[0]+1:]
	}
	return append(all, node.Text(text))
}
