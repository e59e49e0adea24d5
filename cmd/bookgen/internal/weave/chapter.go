package weave

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
	"reconcile/internal/script"
	"reconcile/internal/source"
)

// Chapter is a written chapter with everything that its pages are made of.
type Chapter struct {
	*link.Chapter

	scenes   map[string]*script.Script
	foretold map[string]*foretold // by the id of the run below it
	mark     string               // before the ids of figures, on a page that shows those of several chapters
	counts   Counts
}

// Counts says how much of each thing bookgen checked in a chapter.
type Counts struct {
	Pieces, Lines, Outputs, Manifests, Figures, Numbers, Links, Exercises int

	Given int // lines that are not of the core
}

// Counts returns the chapter's; it is complete after Weave.
func (c *Chapter) Counts() Counts {
	counts := c.counts
	for _, lines := range c.Coverage.Shown {
		counts.Lines += len(lines)
	}
	for file := range c.Coverage.Given {
		counts.Given += snippet.Owed(file)
	}
	return counts
}

// Add adds another chapter's counts.
func (a Counts) Add(b Counts) Counts {
	return Counts{
		a.Pieces + b.Pieces, a.Lines + b.Lines, a.Outputs + b.Outputs, a.Manifests + b.Manifests,
		a.Figures + b.Figures, a.Numbers + b.Numbers, a.Links + b.Links, a.Exercises + b.Exercises,
		a.Given + b.Given,
	}
}

func (c *Counts) count(e element) {
	if e, ok := e.(counted); ok {
		e.count(c)
	}
}

// Read resolves the references of a chapter.
func Read(c *book.Chapter, code []*snippet.Program, exercises []*exercise.Exercise) (*Chapter, error) {
	linked, err := link.NewChapter(snippet.NewChapter(c, code), exercises)
	chapter := &Chapter{Chapter: linked, scenes: map[string]*script.Script{}, foretold: map[string]*foretold{}}
	errs := []error{chapter.MissingCore(), err, chapter.readScenes()}
	for _, part := range c.Parts {
		errs = append(errs, replaceFences(part.Document, true), chapter.weaveAlone(part.Document), chapter.predictions(part.Document))
	}
	if len(c.Unread) == 0 { // or else it would be said of all that such a part shows
		errs = append(errs, chapter.Coverage.Missing(), chapter.missingCards())
	}
	return chapter, source.Join(errs...)
}

// weaveAlone replaces every paragraph that holds nothing but a reference into
// the chapter.
func (c *Chapter) weaveAlone(doc *book.Document) error {
	var errs []error
	for _, ref := range doc.References() {
		if !ref.Alone || !weavable(ref) {
			continue
		}
		element, err := c.element(ref)
		if err != nil {
			errs = append(errs, at(doc, ref.Line, err))
			element = nothing{}
		}
		c.counts.count(element)
		replace(ref.Node.Parent(), &prose.Block{Element: element, Line: ref.Line})
	}
	return source.Join(errs...)
}

// weavable reports whether a reference leads to a file of this chapter's
// folder, other than its text.
func weavable(ref book.Reference) bool {
	return !ref.External() && ref.Path != "" && !book.IsText(ref.Path) &&
		!strings.HasPrefix(ref.Path, "../") && !strings.HasPrefix(ref.Path, "/")
}

func replace(old, new ast.Node) {
	parent := old.Parent()
	parent.ReplaceChild(parent, old, new)
}

// at gives an error a line, unless it names its own.
func at(doc *book.Document, line int, err error) error {
	var errs []error
	for _, e := range source.Flatten(err) {
		if _, placed := e.(*source.Problem); !placed {
			e = source.At(doc.File, line, "%v", e)
		}
		errs = append(errs, e)
	}
	return source.Join(errs...)
}
