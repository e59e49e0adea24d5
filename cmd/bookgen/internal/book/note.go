package book

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"reconcile/internal/source"
)

// Note is a margin note: `[^label]` where it is called, `[^label]: …` where it
// is written.
type Note struct {
	Label  string
	Number int      // from 1, in the order of the calls
	Body   ast.Node // holds paragraphs
}

// NoteCall is the place in the text that a note belongs to.
type NoteCall struct {
	ast.BaseInline
	Label string
	Note  *Note
}

// KindNoteCall is the kind of NoteCall.
var KindNoteCall = ast.NewNodeKind("NoteCall")

// Kind returns KindNoteCall.
func (n *NoteCall) Kind() ast.NodeKind { return KindNoteCall }

// Dump writes the node for debugging.
func (n *NoteCall) Dump(src []byte, level int) {
	ast.DumpHelper(n, src, level, map[string]string{"Label": n.Label}, nil)
}

// noteParser finds the calls. goldmark's own leaves a call of an unknown note
// as text, where it would go unnoticed.
type noteParser struct{}

func (noteParser) Trigger() []byte { return []byte{'['} }

func (noteParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, ok := bytes.CutPrefix(line, []byte("[^"))
	if !ok {
		return nil
	}
	end := bytes.IndexAny(rest, "] ")
	if end <= 0 || rest[end] != ']' {
		return nil
	}
	block.Advance(len("[^") + end + len("]"))
	return &NoteCall{Label: string(rest[:end])}
}

// findNotes brings calls and notes together and takes the notes out of the
// text.
func (d *Document) findNotes() error {
	errs := []error{d.takeNotesOut()}
	called := 0
	d.Walk(func(n ast.Node) bool {
		call, ok := n.(*NoteCall)
		if !ok {
			return true
		}
		note := d.note(call.Label)
		switch {
		case note == nil:
			errs = append(errs, source.At(d.File, d.Line(call), "there is no note [^%s]", call.Label))
		case note.Number > 0:
			errs = append(errs, source.At(d.File, d.Line(call), "note [^%s] is called a second time", call.Label))
		default:
			called++
			note.Number = called
		}
		call.Note = note
		return true
	})
	for _, note := range d.Notes {
		if note.Number == 0 {
			errs = append(errs, source.At(d.File, d.Line(note.Body), "note [^%s] is called nowhere", note.Label))
		}
	}
	return source.Join(errs...)
}

func (d *Document) note(label string) *Note {
	for _, note := range d.Notes {
		if note.Label == label {
			return note
		}
	}
	return nil
}

func (d *Document) takeNotesOut() error {
	var errs []error
	walk(d.Root, func(n ast.Node) bool {
		footnote, ok := n.(*extast.Footnote)
		if !ok {
			return true
		}
		label := string(footnote.Ref)
		if d.note(label) != nil {
			errs = append(errs, source.At(d.File, d.Line(footnote), "there is a second note [^%s]", label))
		}
		for child := footnote.FirstChild(); child != nil; child = child.NextSibling() {
			if child.Kind() != ast.KindParagraph {
				errs = append(errs, source.At(d.File, d.Line(child), "note [^%s] holds more than paragraphs", label))
			}
		}
		d.Notes = append(d.Notes, &Note{Label: label, Body: footnote})
		return false
	})
	walk(d.Root, func(n ast.Node) bool {
		if n.Kind() == extast.KindFootnoteList {
			n.Parent().RemoveChild(n.Parent(), n)
		}
		return true
	})
	return source.Join(errs...)
}
