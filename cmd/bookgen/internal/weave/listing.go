package weave

import (
	"maps"
	"path"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// listings returns the pages of the chapter's files: package by package its code and
// then its tests, then exercises, captured output, scenes, manifests, and what
// packages embed.
func (v *volume) listings(c *Chapter) ([]site.Listing, error) {
	var all []site.Listing
	for _, p := range c.Code {
		var tests []site.Listing
		for _, file := range p.Files {
			listing := site.Listing{File: c.Name(file), Code: v.listing(c, file), Test: file.Test, Folds: answersIn(file), Leant: c.Coverage.Given[file], Places: c.PlacesIn(file), On: c.PagesOf(file)}
			if file.Test {
				tests = append(tests, listing)
			} else {
				all = append(all, listing)
			}
		}
		all = append(all, tests...)
	}
	others, err := v.otherListings(c)
	return append(all, others...), err
}

// answersIn returns a fold over the body of each function that a reader may
// want to write first.
func answersIn(file *source.File) []site.Fold {
	var folds []site.Fold
	for _, decl := range file.Decls {
		if file.Test || decl.Exercise == "" || decl.Body == nil {
			continue
		}
		fold := site.Fold{
			First: file.Line(file.Offset(decl.Body.Lbrace)) + 1, Last: file.Line(file.Offset(decl.Body.Rbrace)) - 1,
			Summary: "Exercise " + decl.Exercise,
		}
		if fold.First <= fold.Last {
			folds = append(folds, fold)
		}
	}
	return folds
}

func (v *volume) otherListings(c *Chapter) ([]site.Listing, error) {
	folders := []string{"exercises"}
	for _, p := range c.Code {
		folders = append(folders, path.Join(p.Folder, "testdata"))
	}
	var names []string
	var errs []error
	for _, folder := range append(folders, "manifests") {
		errs = append(errs, c.EachFile(c.Path(folder), func(name string) { names = append(names, name) }))
	}
	names = append(names, slices.Sorted(maps.Keys(c.Embedded))...)
	var listings []site.Listing
	for i, name := range names {
		if c.Listed(name) && !slices.Contains(names[:i], name) {
			listing, err := v.otherListing(c, name)
			listings = append(listings, listing)
			errs = append(errs, err)
		}
	}
	return listings, source.Join(errs...)
}

func (v *volume) otherListing(c *Chapter, name string) (site.Listing, error) {
	if e := c.Exercise(name); e != nil {
		return v.exercisePage(c, name, e)
	}
	content, err := c.Read(name)
	if err != nil || v.memory.Bare {
		return site.Listing{File: name}, err
	}
	code, err := highlight.Other(link.Languages[path.Ext(name)], strings.TrimRight(string(content), "\n"))
	return site.Listing{File: name, Code: code.Lines()}, err
}
