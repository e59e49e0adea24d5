package build

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Report says what a build did.
type Report struct {
	*Edition
	Changed []string // paths that were written or removed
	Took    time.Duration
}

// String returns one line for the terminal.
func (r Report) String() string {
	return fmt.Sprintf("%d pages, %d words, %d lines of code woven in %d pieces, %d files changed, %d ms",
		r.Pages(), r.Words, r.Counts.Lines, r.Counts.Pieces, len(r.Changed), r.Took.Milliseconds())
}

// Pages counts the pages of HTML.
func (e *Edition) Pages() int {
	pages := 0
	for name := range e.Files {
		if strings.HasSuffix(name, ".html") {
			pages++
		}
	}
	return pages
}

// Build makes the site anew. If anything is wrong, the old one stays as it is.
func (p *Press) Build(ctx context.Context) (Report, error) {
	start := time.Now()
	unlock, err := lock(p.Options)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	edition, err := p.Compose(ctx)
	if err != nil {
		return Report{}, err
	}
	changed, err := replaceSite(ctx, p.Site(), edition.Files)
	if err != nil {
		return Report{}, fmt.Errorf("write the site: %w", err)
	}
	return Report{Edition: edition, Changed: changed, Took: time.Since(start)}, nil
}
