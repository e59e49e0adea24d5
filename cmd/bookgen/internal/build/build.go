package build

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"reconcile/cmd/bookgen/internal/weave"
)

// Report says what a build did.
type Report struct {
	Pages, Words int // of the site, whether they changed or not
	Counts       weave.Counts
	Changed      []string // paths that were written or removed
	Took         time.Duration
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
func (p *Press) Build(ctx context.Context) (Report, error) { return p.put(ctx, p.Site()) }

// Publish does the same, and makes the whole site as well. If that has an address of its
// own, a clone's pages, which have the book's, stay as they are.
func (p *Press) Publish(ctx context.Context) (Report, error) {
	if p.URL != "" {
		return p.put(ctx, p.Public())
	}
	return p.put(ctx, p.Site(), p.Public())
}

// put makes the site in its folders, unless an earlier build has made it from
// the same sources.
func (p *Press) put(ctx context.Context, folders ...string) (Report, error) {
	start := time.Now()
	unlock, err := lock(p.Options)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	for _, folder := range folders {
		if err := restore(folder); err != nil {
			return Report{}, err
		}
	}
	of, err := p.sources()
	if err != nil {
		return Report{}, err
	}
	file := p.recordFile(folders)
	before := readRecord(file)
	if before.Of == of && before.isThere(folders) {
		before.Did.Took = time.Since(start)
		return before.Did, nil
	}
	p.digests = nil
	if before.Of.Code == of.Code {
		p.digests = before.Digests
	}
	report, err := p.make(ctx, folders)
	if err != nil {
		return Report{}, err
	}
	if file != "" {
		err = p.record(file, of, report, folders)
	}
	report.Took = time.Since(start)
	return report, err
}

// make fills the folders: Public with all pages, the other with those that a clone carries.
func (p *Press) make(ctx context.Context, folders []string) (Report, error) {
	edition, err := p.compose(ctx, slices.Contains(folders, p.Public()))
	if err != nil {
		return Report{}, err
	}
	report := Report{Words: edition.Words, Counts: edition.Counts}
	for _, folder := range folders {
		files := edition.Carried
		if folder == p.Public() {
			files = edition.Files
		}
		report.Pages = Pages(files)
		report.Changed, err = replaceSite(ctx, folder, files)
		if err != nil {
			return Report{}, fmt.Errorf("write the site: %w", err)
		}
	}
	return report, nil
}

// record remembers what was made, unless its sources have changed meanwhile.
func (p *Press) record(file string, of sources, report Report, folders []string) error {
	now, err := p.sources()
	if err != nil || now != of {
		return err
	}
	site, err := siteSum(folders)
	if err != nil {
		return err
	}
	report.Changed = nil
	return record{Of: of, Digests: p.digests, Site: site, Did: report}.write(file)
}
