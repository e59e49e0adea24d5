package weave

import (
	"fmt"
	"os"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
)

// element is a reference, as it will stand on a page.
type element interface {
	nodes(p *page) node.List
}

// nothing stands in the place of a reference that could not be resolved.
type nothing struct{}

func (nothing) nodes(*page) node.List { return nil }

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
	if err := c.exists(ref.Path); err != nil {
		return nil, err
	}
	if isCode(ref.Path) {
		p, err := c.Piece(ref)
		if err != nil {
			return nil, err
		}
		return code{p}, nil
	}
	if err := c.Once(ref); err != nil {
		return nil, err
	}
	switch {
	case ref.Title != "":
		return nil, fmt.Errorf("only Go code has forms; %q is none of %s", ref.Title, ref.Path)
	case strings.HasPrefix(ref.Path, "exercises/"):
		return c.card(ref)
	case isRecorded(ref.Path) && path.Ext(ref.Path) == ".txt":
		return c.output(ref)
	case path.Ext(ref.Path) == sceneExt:
		return c.transcript(ref)
	case path.Ext(ref.Path) == ".json" && ref.Fragment != "":
		return nil, fmt.Errorf("a number stands inside a sentence")
	case isRecorded(ref.Path):
		return nil, fmt.Errorf(`%s is data: draw it, ![what it shows](%s "figure: lanes")`, ref.Path, ref.Path)
	}
	return c.manifest(ref)
}

func (c *Chapter) exists(name string) error {
	info, err := os.Stat(c.path(name))
	if err != nil {
		return fmt.Errorf("there is no file %s in %s", name, c.Slug)
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a folder", name)
	}
	return nil
}
