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
	Pages   int      // that it wrote or left as they were
	Changed []string // paths that were written or removed
	Took    time.Duration
}

// String returns one line for the terminal.
func (r Report) String() string {
	return fmt.Sprintf("%d pages, %d words, %d lines of code woven in %d pieces, %d files changed, %d ms",
		r.Pages, r.Words, r.Counts.Lines, r.Counts.Pieces, len(r.Changed), r.Took.Milliseconds())
}

// Pages counts the pages of HTML.
func Pages(files map[string][]byte) int {
	pages := 0
	for name := range files {
		if strings.HasSuffix(name, ".html") {
			pages++
		}
	}
	return pages
}

// Build makes the pages that a clone carries anew. If anything is wrong, the old
// ones stay as they are.
func (p *Press) Build(ctx context.Context) (Report, error) { return p.put(ctx, false) }

// Publish does the same, and makes the whole site as well.
func (p *Press) Publish(ctx context.Context) (Report, error) { return p.put(ctx, true) }

func (p *Press) put(ctx context.Context, whole bool) (Report, error) {
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
	report := Report{Edition: edition, Pages: Pages(edition.Carried)}
	report.Changed, err = replaceSite(ctx, p.Site(), edition.Carried)
	if err == nil && whole {
		report.Pages = Pages(edition.Files)
		report.Changed, err = replaceSite(ctx, p.Public(), edition.Files)
	}
	if err != nil {
		return Report{}, fmt.Errorf("write the site: %w", err)
	}
	report.Took = time.Since(start)
	return report, nil
}
