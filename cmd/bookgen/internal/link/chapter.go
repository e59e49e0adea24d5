package link

import (
	"fmt"
	"path"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
)

// Chapter is a chapter with all that a link may lead to.
type Chapter struct {
	*snippet.Chapter
	Exercises []*exercise.Exercise

	Cards    map[string]*book.Part // the part that shows an exercise, by its number
	Embedded map[string]bool       // files that the code embeds, by name
}

// NewChapter returns a chapter whose exercises are on no page yet.
func NewChapter(c *snippet.Chapter, exercises []*exercise.Exercise) (*Chapter, error) {
	chapter := &Chapter{Chapter: c, Exercises: exercises, Cards: map[string]*book.Part{}, Embedded: map[string]bool{}}
	return chapter, chapter.readEmbedded()
}

// Exercise returns the exercise whose file is named, below the chapter's folder,
// or nil.
func (c *Chapter) Exercise(name string) *exercise.Exercise {
	for _, e := range c.Exercises {
		if name == "exercises/"+e.Number+".md" {
			return e
		}
	}
	return nil
}

// Where returns the part that shows a reference, and the element's id on its
// page, or else, without a part, the address of a listing.
func (c *Chapter) Where(ref book.Reference) (part *book.Part, id, listing string, err error) {
	if strings.HasPrefix(ref.Path, "exercises/") {
		number := strings.TrimSuffix(path.Base(ref.Path), ".md")
		return c.cardPart(number), "exercise-" + number, "", nil
	}
	if IsCode(ref.Path) {
		return c.WhereCode(ref)
	}
	if !c.Listed(ref.Path) {
		return nil, "", "", fmt.Errorf("dead link: %s has no page", ref.Path)
	}
	if ref.Fragment == "" {
		return nil, "", c.ListingOf(ref.Path), nil
	}
	if part := c.Woven[snippet.Address(ref)+" "]; part != nil {
		return part, snippet.ElementID(ref.Path, ref.Fragment), "", nil
	}
	if len(c.Unread) > 0 {
		return nil, "", "", nil // it may be woven into what cannot be read
	}
	return nil, "", "", fmt.Errorf("dead link: %s is not woven in", snippet.Address(ref))
}

// CardAddress returns the address of an exercise's card.
func (c *Chapter) CardAddress(number string) string {
	if beside := c.Lent[number]; beside != nil {
		return beside.File() + "#exercise-" + number
	}
	return snippet.AddressOn(c.cardPart(number), "exercise-"+number)
}

// cardPart returns the part that shows an exercise.
func (c *Chapter) cardPart(number string) *book.Part {
	if part := c.Cards[number]; part != nil {
		return part
	}
	return c.Parts[0] // a card that is on no page is reported elsewhere
}

// Guest returns the chapter with nothing shown yet: pieces of it on another
// page change nothing on its own.
func (c *Chapter) Guest() *Chapter {
	guest := *c
	guest.Chapter = snippet.NewChapter(c.Chapter.Chapter, c.Code)
	guest.Cards = map[string]*book.Part{}
	return &guest
}
