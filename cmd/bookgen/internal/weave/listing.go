package weave

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
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

// listed reports whether a file other than Go code has a listing.
func (c *Chapter) listed(name string) bool {
	ext := path.Ext(name)
	switch of, _, _ := strings.Cut(name, "/"); {
	case of == "exercises":
		return ext == ".md" && path.Dir(name) == of // below it are the answers that readers give
	case isRecorded(name):
		return ext == ".txt" || ext == sceneExt
	case of == "manifests" || c.embedded[name]:
		return languages[ext] != ""
	}
	return false
}

// isRecorded reports whether a file is in the testdata of the chapter or of one
// of its packages.
func isRecorded(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

// readEmbedded finds the files that the chapter's packages embed.
func (c *Chapter) readEmbedded() error {
	var errs []error
	for p, file := range c.Files() {
		for _, pattern := range file.Embeds() {
			matches, err := filepath.Glob(filepath.Join(p.Dir, strings.TrimPrefix(pattern, "all:")))
			errs = append(errs, err)
			for _, match := range matches {
				errs = append(errs, c.eachFile(match, func(name string) { c.embedded[name] = true }))
			}
		}
	}
	return source.Join(errs...)
}

// eachFile calls f with each file at a path or below it, by its name in the
// chapter.
func (c *Chapter) eachFile(at string, f func(name string)) error {
	return filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		name, err := filepath.Rel(c.Dir, file)
		f(filepath.ToSlash(name))
		return err
	})
}

func (v *volume) otherListings(c *Chapter) ([]site.Listing, error) {
	folders := []string{"exercises"}
	for _, p := range c.Code {
		folders = append(folders, path.Join(p.Folder, "testdata"))
	}
	var names []string
	var errs []error
	for _, folder := range append(folders, "manifests") {
		errs = append(errs, c.eachFile(c.path(folder), func(name string) { names = append(names, name) }))
	}
	names = append(names, slices.Sorted(maps.Keys(c.embedded))...)
	var listings []site.Listing
	for i, name := range names {
		if c.listed(name) && !slices.Contains(names[:i], name) {
			listing, err := v.otherListing(c, name)
			listings = append(listings, listing)
			errs = append(errs, err)
		}
	}
	return listings, source.Join(errs...)
}

func (v *volume) otherListing(c *Chapter, name string) (site.Listing, error) {
	if e := c.exercise(name); e != nil {
		return v.exercisePage(c, name, e)
	}
	content, err := c.read(name)
	if err != nil || v.memory.Bare {
		return site.Listing{File: name}, err
	}
	code, err := highlight.Other(languages[path.Ext(name)], strings.TrimRight(string(content), "\n"))
	return site.Listing{File: name, Code: code.Lines()}, err
}
