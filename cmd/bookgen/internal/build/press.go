package build

import (
	"context"
	"os"
	"path/filepath"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/weave"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// Press makes one edition after the other, and keeps what the next may need
// again: the code of chapters in which none was changed, and the pages that
// show the same.
type Press struct {
	Options
	codes map[string]*code // by the chapter's folder
	types *highlight.Checker
	woven weave.Memory
	pages site.Memory
}

// code is what a chapter has beside its text.
type code struct {
	digest    string
	program   *weave.Program
	exercises []*exercise.Exercise
}

// NewPress returns a press that has made nothing yet.
func NewPress(o Options) *Press {
	return &Press{Options: o, codes: map[string]*code{}, types: highlight.NewChecker(o.Root)}
}

// Compose makes one edition.
func Compose(ctx context.Context, o Options) (*Edition, error) {
	return NewPress(o).Compose(ctx)
}

// Build makes the site once.
func Build(ctx context.Context, o Options) (Report, error) {
	return NewPress(o).Build(ctx)
}

// readCode reads the code and the exercises of a chapter, if they were changed.
// What there is an error in is not kept.
func (p *Press) readCode(ctx context.Context, loader *highlight.Loader, c *book.Chapter) (*code, error) {
	rel, err := filepath.Rel(p.Root, c.Dir)
	if err != nil {
		return nil, err
	}
	digest, err := loader.Digest(rel, "exercises")
	if err != nil {
		return nil, err
	}
	if kept := p.codes[c.Dir]; kept != nil && kept.digest == digest {
		return kept, nil
	}
	files, err := source.Load(os.DirFS(c.Dir), c.Dir)
	if err != nil {
		return nil, err
	}
	done := progress(p.Progress, "type-checking "+rel)
	info, err := loader.Load(ctx, rel)
	done()
	if info == nil {
		return nil, err
	}
	exercises, exerciseErr := exercise.Load(os.DirFS(c.Dir), c.Dir)
	read := &code{digest, weave.NewProgram(files, info), exercises}
	delete(p.codes, c.Dir)
	if err = source.Join(err, exerciseErr); err == nil {
		p.codes[c.Dir] = read
	}
	return read, err
}
