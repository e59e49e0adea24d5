// Package check proves that the book is whole, true and built.
//
// In reading order: check.go (the list of checks), measures.go (how much a
// page holds), prove.go (exercises), links.go (links and anchors of the rendered
// pages).
package check

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// Run checks the book, beginning with what is quick and most often wrong: the pages
// that a clone carries and all that they say, then the links of all pages, then the
// exercises, which take minutes unless their proofs are cached. It stops after the
// first of these groups that has problems, and reports all of them; without
// problems it writes what it proved.
func Run(ctx context.Context, o build.Options, proofs exercise.Options, out io.Writer) error {
	start := time.Now()
	press := build.NewPress(o)
	carried, err := press.Carry(ctx)
	if err != nil {
		return err
	}
	if err := source.Join(checkFresh(o, carried), carried.Closing, checkMeasures(carried)); err != nil {
		return err
	}
	edition, err := press.Compose(ctx)
	if err != nil {
		return err
	}
	links, linkErr := checkLinks(o.Public(), edition.Files, nil)
	carriedLinks := 0
	if linkErr == nil { // or else most of it would be said twice
		carriedLinks, linkErr = checkLinks(o.Site(), edition.Carried, os.DirFS(o.Root))
	}
	if linkErr != nil {
		return linkErr
	}
	proven, err := prove(ctx, o, edition.Chapters, proofs)
	if err != nil {
		return err
	}
	if err := writeMeasures(out, edition); err != nil {
		return err
	}
	c := edition.Counts
	fmt.Fprintf(out, "woven     %d lines of code in %d pieces, every line of a core once; %d lines are given\n", c.Lines, c.Pieces, c.Given)
	fmt.Fprintf(out, "true      %d numbers, %d figures, %d captured outputs, %d manifests\n", c.Numbers, c.Figures, c.Outputs, c.Manifests)
	fmt.Fprintf(out, "linked    %d references in sentences, %d links on %d pages, %d on the %d that a clone carries\n",
		c.Links, links, build.Pages(edition.Files), carriedLinks, build.Pages(edition.Carried))
	fmt.Fprintf(out, "proven    %s\n", proven)
	fmt.Fprintf(out, "fresh     %d files of %s\n", len(edition.Carried), o.Site())
	_, err = fmt.Fprintf(out, "checked in %.1f s\n", time.Since(start).Seconds())
	return err
}

// checkFresh compares the site on disk with what a build would write.
func checkFresh(o build.Options, edition *build.Edition) error {
	stale, err := build.Stale(o.Site(), edition.Carried)
	errs := []error{err}
	for _, name := range stale {
		file := filepath.Join(o.Site(), filepath.FromSlash(name))
		errs = append(errs, source.At(file, 1, "stale: run go run ./cmd/bookgen build"))
	}
	return source.Join(errs...)
}
