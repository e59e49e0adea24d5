package build

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"reconcile/cmd/bookgen/internal/site"
)

// A Binding makes the whole book as one file, to be published beside its pages.
type Binding struct {
	Name string // in a sentence: "a PDF"
	Ext  string // of the file, whose name is the book's: ".pdf"
	Step string // what takes long: "printing the book"
	// Bind returns the file of the book that the press reads.
	Bind func(context.Context, *Press) ([]byte, error)
}

// bind makes a file of each binding, and adds them to the whole site.
func (p *Press) bind(ctx context.Context, edition *Edition) error {
	name := strings.ReplaceAll(strings.ToLower(edition.Book.Title), " ", "-")
	var downloads []site.Download
	for _, b := range p.Bindings {
		done := Progress(p.Progress, b.Step)
		content, err := b.Bind(ctx, p)
		done()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%s: %w", name+b.Ext, err)
		}
		downloads = append(downloads, site.Download{Name: b.Name, File: name + b.Ext, Pages: pagesOf(content), Content: content})
	}
	return site.Offer(edition.Book, edition.Files, downloads)
}

// preview adds pictures for previews of links to the whole site.
func (p *Press) preview(ctx context.Context, edition *Edition) error {
	done := Progress(p.Progress, "drawing pictures for previews of links")
	defer done()
	pictures, err := p.Previews(ctx, site.Cards(edition.Book))
	maps.Copy(edition.Files, pictures)
	return err
}

// sheet begins the object of a page in a PDF.
var sheet = regexp.MustCompile(`/Type\s*/Page\b`)

// pagesOf counts the pages of a PDF, and none in any other file.
func pagesOf(content []byte) int { return len(sheet.FindAllIndex(content, -1)) }
