package weave

import (
	"fmt"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
)

// element is a reference, as it will stand on a page.
type element interface {
	nodes(p *page) node.List
}

// An element of a kind that it matters for is more: all that there is to say of a kind
// stands in its file.
type (
	// counted is counted by check.
	counted interface{ count(*Counts) }
	// open has lines that stand open, to be read with the text.
	open interface{ openLines() int }
	// measured adds to what a part holds; it stands on a line of the file.
	measured interface{ measure(m *measuring, line int) }
	// happened shows what has happened.
	happened interface{ hasHappened() }
	// shown can be looked at by a room. It returns the lines that a slide has on it at a
	// time.
	shown interface{ show(*site.Show) [][]string }
	// sliced leaves some of its lines, counted from 1 as a page shows them.
	sliced interface {
		shown
		choose(snippet.Span) error
	}
)

// nothing stands in the place of a reference that could not be resolved.
type nothing struct{}

func (nothing) nodes(*page) node.List { return nil }

func (nothing) hasHappened() {}

// element resolves a reference that stands alone.
func (c *Chapter) element(ref book.Reference) (element, error) {
	switch {
	case ref.Picture && path.Ext(ref.Path) == pictureExt:
		return c.picture(ref)
	case ref.Picture:
		return c.drawing(ref)
	}
	if c.Program(ref.Path) != nil {
		return nil, fmt.Errorf("%s is a package: link to it in a sentence", ref.Path)
	}
	if err := c.Exists(ref.Path); err != nil {
		return nil, err
	}
	if link.IsCode(ref.Path) {
		p, err := c.Piece(ref)
		if err != nil {
			return nil, err
		}
		return code{p}, nil
	}
	if words, ok := strings.CutPrefix(ref.Title, answerMark); ok {
		return c.answering(ref, words)
	}
	if err := c.Once(ref); err != nil {
		return nil, err
	}
	switch {
	case ref.Title != "":
		return nil, fmt.Errorf("only Go code has forms; %q is none of %s", ref.Title, ref.Path)
	case strings.HasPrefix(ref.Path, "exercises/"):
		return c.card(ref)
	case link.IsRecorded(ref.Path) && path.Ext(ref.Path) == ".txt":
		return c.output(ref)
	case path.Ext(ref.Path) == link.SceneExt:
		return c.transcript(ref)
	case path.Ext(ref.Path) == ".json" && ref.Fragment != "":
		return nil, fmt.Errorf("a number stands inside a sentence")
	case link.IsRecorded(ref.Path):
		return nil, fmt.Errorf(`%s is data: draw it, ![what it shows](%s "figure: lanes")`, ref.Path, ref.Path)
	}
	return c.manifest(ref)
}
