package snippet

import (
	"fmt"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// Chapter is a chapter with its code, and which of it its pages show.
type Chapter struct {
	*book.Chapter
	Code []*Program // the root's first

	Coverage Coverage
	Woven    map[string]*book.Part   // the part that shows a reference, by its address
	Answers  map[string][]*book.Part // the parts that show pieces of an exercise's answer
	latest   map[*source.File]int    // the last line of the latest piece of each
}

// NewChapter returns a chapter that shows nothing yet.
func NewChapter(c *book.Chapter, code []*Program) *Chapter {
	chapter := &Chapter{
		Chapter: c, Code: code,
		Woven: map[string]*book.Part{}, Answers: map[string][]*book.Part{}, latest: map[*source.File]int{},
	}
	chapter.Coverage = chapter.newCoverage()
	return chapter
}

// Once refuses elements that are woven twice and coverage does not see: output,
// manifests and tests. A signature may repeat.
func (c *Chapter) Once(ref book.Reference) error {
	if ref.Title == signatureForm {
		return nil
	}
	key := ref.Path + "#" + ref.Fragment + " " + ref.Title
	if _, woven := c.Woven[key]; woven {
		return fmt.Errorf("%s is woven in a second time", Address(ref))
	}
	c.Woven[key] = ref.Part
	return nil
}

// Address returns a reference as an author writes it.
func Address(ref book.Reference) string {
	if ref.Fragment == "" {
		return ref.Path
	}
	return ref.Path + "#" + ref.Fragment
}

// ElementID returns the id of the element that shows a reference.
func ElementID(file, name string) string {
	if name == "" {
		return file
	}
	return file + ":" + name
}
