package prose

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/node"
)

// table lets a wide table scroll, and names it by its columns; one that has those of a
// table before it, by its number too.
func (s *text) table(n ast.Node) node.List {
	var columns, named []string
	head := n.FirstChild()
	for cell := head.FirstChild(); cell != nil; cell = cell.NextSibling() {
		title := strings.TrimSpace(s.doc.Text(cell))
		if columns = append(columns, title); title != "" {
			named = append(named, title)
		}
	}
	label := "Table: " + strings.Join(named, ", ")
	if s.named[label]++; s.named[label] > 1 {
		label += fmt.Sprintf(", %d", s.named[label])
	}
	if len(columns) < 3 { // which stand beside each other on any screen
		columns = nil
	}
	body := node.New("tbody", "\n")
	for row := head.NextSibling(); row != nil; row = row.NextSibling() {
		node.Add(body, s.row(row, "td", columns))
	}
	table := node.New("table", "\n", node.Line(node.New("thead", "\n", s.row(head, "th", nil))))
	if body.FirstChild != body.LastChild {
		node.Add(table, node.Line(body))
	}
	return node.Line(node.New("div", node.Class("table"), node.Attr("tabindex", "0"), node.Attr("role", "region"), node.Attr("aria-label", label), table))
}

// row gives each cell its column's name, for screens on which the columns stand below
// each other.
func (s *text) row(row ast.Node, name string, columns []string) node.List {
	tr := node.New("tr", "\n")
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		cell := n.(*extast.TableCell)
		td := node.New(name)
		if cell.Alignment != extast.AlignNone {
			node.Add(td, node.Attr("style", "text-align:"+cell.Alignment.String()))
		}
		if len(columns) > 0 {
			node.Add(td, node.Attr("data-c", columns[0]))
			columns = columns[1:]
		}
		node.Add(td, s.inside(n))
		node.Add(tr, node.Line(td))
	}
	return node.Line(tr)
}
