package book

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/internal/source"
)

// Reference is a link or a picture.
type Reference struct {
	Node     ast.Node
	Part     *Part // that it stands in; nil on the front page and in exercises
	Line     int
	Text     string
	Path     string // "queue.go"; empty in a link within the page
	Fragment string // behind "#"
	Title    string
	Alone    bool // it fills its paragraph: in the text itself, in an answer, or below a list item's words
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
		Node: n, Part: d.Part, Line: d.Line(n), Text: d.Text(n),
		Path: path, Fragment: fragment, Title: string(title),
		Alone: alone(n),
	}
}

func alone(n ast.Node) bool {
	p := n.Parent()
	if p.Kind() != ast.KindParagraph || p.ChildCount() != 1 {
		return false
	}
	switch p.Parent().Kind() {
	case ast.KindDocument, extast.KindDefinitionDescription:
		return true
	case ast.KindListItem: // whose first paragraph is its words
		return p.PreviousSibling() != nil
	}
	return false
}

var undefined = regexp.MustCompile(`\[[^\[\]]+\]\[([^\[\]]*)\]`)

// refuseUndefined reports links by a label, [text][label], whose label is not
// defined. Markdown leaves them as they were typed.
func (d *Document) refuseUndefined() error {
	var errs []error
	d.Walk(func(n ast.Node) bool {
		if n.Type() != ast.TypeBlock || n.FirstChild() == nil || n.FirstChild().Type() != ast.TypeInline {
			return true
		}
		var text strings.Builder
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if t, ok := child.(*ast.Text); ok {
				text.Write(t.Value(d.Source))
			} else {
				text.WriteByte(0) // code and links are no text
			}
		}
		for _, m := range undefined.FindAllString(text.String(), -1) {
			errs = append(errs, source.At(d.File, d.Line(n), "the link %s has no definition", m))
		}
		return false
	})
	return source.Join(errs...)
}

// External reports whether a reference leaves the book.
func (r Reference) External() bool {
	return strings.Contains(r.Path, "://") || strings.HasPrefix(r.Path, "mailto:")
}
