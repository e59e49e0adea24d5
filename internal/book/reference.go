package book

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Reference is a link or a picture.
type Reference struct {
	Node     ast.Node
	Line     int
	Text     string
	Path     string // "queue.go"; empty in a link within the page
	Fragment string // behind "#"
	Title    string
	Alone    bool // it is all that its paragraph holds
	Picture  bool
}

// References returns every link and picture in the order of the text.
func (d *Document) References() []Reference {
	var all []Reference
	d.Walk(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Link:
			all = append(all, d.reference(n, n.Destination, n.Title))
		case *ast.Image:
			ref := d.reference(n, n.Destination, n.Title)
			ref.Picture = true
			all = append(all, ref)
			return false
		}
		return true
	})
	return all
}

func (d *Document) reference(n ast.Node, destination, title []byte) Reference {
	path, fragment, _ := strings.Cut(string(destination), "#")
	return Reference{
		Node: n, Line: d.Line(n), Text: d.Text(n),
		Path: path, Fragment: fragment, Title: string(title),
		Alone: alone(n),
	}
}

func alone(n ast.Node) bool {
	p := n.Parent()
	return p.Kind() == ast.KindParagraph && p.ChildCount() == 1 &&
		p.Parent().Kind() == ast.KindDocument
}

// External tells whether a reference leaves the book.
func (r Reference) External() bool {
	return strings.Contains(r.Path, "://") || strings.HasPrefix(r.Path, "mailto:")
}
