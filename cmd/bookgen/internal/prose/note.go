package prose

import (
	"fmt"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// note returns a margin note, where it is called.
func (s *text) note(note *book.Note) node.List {
	if note == nil { // that it is missing was reported
		return nil
	}
	number := fmt.Sprint(note.Number)
	body := node.New("small", node.Class("note"), node.ID("note-"+note.Label), node.Attr("role", "note"), node.New("span", node.Class("num"), number), " ")
	for paragraph := note.Body.FirstChild(); paragraph != nil; paragraph = paragraph.NextSibling() {
		if paragraph != note.Body.FirstChild() {
			node.Add(body, node.New("br"))
		}
		node.Add(body, s.inside(paragraph))
	}
	return node.List{node.New("a", node.Class("note-ref"), node.ID("ref-"+note.Label), node.Href("#note-"+note.Label), number), body}
}
