package weave

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html/template"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// Memory keeps, from one weaving to the next, everything that depends on the
// code and on the pages that show it and its exercises, and on no text: the
// listings of code, and the index.
type Memory struct {
	// Bare weavings leave the bodies of listings empty, but for those of prose:
	// for a site without listings.
	Bare bool

	shape    string
	programs []*snippet.Program // by whose addresses shape knows them: kept, none can be another's
	listings map[*source.File][]template.HTML
	symbols  []*site.Symbol
}

// Weave renders the book. chapters are those that are written; module is the
// path that their import paths begin with.
func (m *Memory) Weave(b *book.Book, module string, chapters []*Chapter) (*site.Book, error) {
	if shape := shapeOf(chapters); shape != m.shape {
		*m = Memory{Bare: m.Bare, shape: shape, listings: map[*source.File][]template.HTML{}}
		for _, c := range chapters {
			m.programs = append(m.programs, c.Code...)
		}
	}
	return m.weave(b, module, chapters)
}

// shapeOf sums up the code, and which part shows each line of it, and each
// exercise.
func shapeOf(chapters []*Chapter) string {
	hash := sha256.New()
	for _, c := range chapters {
		fmt.Fprintf(hash, "%s\n", c.Slug)
		for _, e := range c.Exercises {
			fmt.Fprintf(hash, "%s %s\n", e.Number, c.CardAddress(e.Number))
		}
		for _, p := range c.Code {
			fmt.Fprintf(hash, "%p\n", p)
		}
		for _, file := range c.Files() {
			for line := range file.Lines() {
				if part := c.Coverage.Part(file, line+1); part != nil {
					fmt.Fprintf(hash, "%d %s\n", line, part.Slug)
				}
			}
		}
	}
	return string(hash.Sum(nil))
}

// listing returns the lines of code of a file, with all its links.
func (v *volume) listing(c *Chapter, file *source.File) []template.HTML {
	if v.memory.Bare {
		return nil
	}
	if lines, ok := v.memory.listings[file]; ok {
		return lines
	}
	links := v.links.OfListing(c.Chapter, file)
	lines := c.ProgramOf(file).Codes[file.Name].Nodes(0, len(bytes.TrimRight(file.Content, "\n")), links).Lines()
	v.memory.listings[file] = lines
	return lines
}

// index returns the index of declarations.
func (v *volume) index() []*site.Symbol {
	if v.memory.symbols == nil {
		v.memory.symbols = v.symbols()
	}
	return v.memory.symbols
}
