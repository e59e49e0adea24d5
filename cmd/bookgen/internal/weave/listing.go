package weave

import (
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// listings are the pages of the chapter's files: code first, then tests, then
// exercises, manifests, captured output and scenes.
func (v *volume) listings(c *Chapter) ([]site.Listing, error) {
	var code, tests []site.Listing
	for _, file := range c.Code.Files {
		listing := site.Listing{File: file.Name, Body: v.listing(c, file), Test: file.Test, Folds: answersIn(file)}
		if file.Test {
			tests = append(tests, listing)
		} else {
			code = append(code, listing)
		}
	}
	others, err := v.otherListings(c)
	return append(append(code, tests...), others...), err
}

// answersIn are the bodies of the functions that a reader may want to write
// first.
func answersIn(file *source.File) []site.Fold {
	var folds []site.Fold
	for _, decl := range file.Decls {
		if file.Test || decl.Exercise == "" || decl.Body == nil {
			continue
		}
		fold := site.Fold{
			First: file.Line(file.Offset(decl.Body.Lbrace)) + 1, Last: file.Line(file.Offset(decl.Body.Rbrace)) - 1,
			Summary: "Exercise " + decl.Exercise + " · write it before you look",
		}
		if fold.First <= fold.Last {
			folds = append(folds, fold)
		}
	}
	return folds
}

// sources are the folders of a chapter with files that pages show as they are:
// manifests, what an image is made of, and a program that is not the chapter's.
var sources = []string{"manifests", "podinit", "wrappers"}

// listed tells whether a file other than Go code has a listing.
func listed(name string) bool {
	of, _, _ := strings.Cut(name, "/")
	return slices.Contains(sources, of) && languages[path.Ext(name)] != "" ||
		strings.HasPrefix(name, "testdata/") && (path.Ext(name) == ".txt" || path.Ext(name) == sceneExt) ||
		strings.HasPrefix(name, "exercises/") && path.Ext(name) == ".md"
}

func (v *volume) otherListings(c *Chapter) ([]site.Listing, error) {
	var listings []site.Listing
	var errs []error
	for _, folder := range append([]string{"exercises", "testdata"}, sources...) {
		err := filepath.WalkDir(c.path(folder), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return ignoreMissing(err)
			}
			rel, err := filepath.Rel(c.Dir, file)
			if name := filepath.ToSlash(rel); err == nil && listed(name) {
				listing, err := v.otherListing(c, name)
				listings = append(listings, listing)
				errs = append(errs, err)
			}
			return err
		})
		errs = append(errs, err)
	}
	return listings, source.Join(errs...)
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

func (v *volume) otherListing(c *Chapter, name string) (site.Listing, error) {
	for _, e := range c.Exercises {
		if name == "exercises/"+e.Number+".md" {
			return v.exercisePage(c, name, e)
		}
	}
	content, err := c.read(name)
	if err != nil {
		return site.Listing{}, err
	}
	html, err := highlight.Other(languages[path.Ext(name)], strings.TrimRight(string(content), "\n"))
	return site.Listing{File: name, Body: template.HTML(html)}, err
}
