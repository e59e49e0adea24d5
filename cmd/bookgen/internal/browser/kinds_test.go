package browser

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chapters returns the paths of the first pages of the site's chapters.
func (p place) chapters(t *testing.T) []string {
	t.Helper()
	pages := slices.DeleteFunc(p.glob(t, "*/index.html"), isTaught)
	require.NotEmpty(t, pages, "no chapter in %s", p.dir)
	return pages
}

// parts returns the paths of all pages of the site's chapters.
func (p place) parts(t *testing.T) []string {
	t.Helper()
	pages := append(p.chapters(t), slices.DeleteFunc(p.glob(t, "*/*/index.html"), isTaught)...)
	slices.Sort(pages)
	return pages
}

// isComparison reports whether a part is looked into, and not read through.
func isComparison(part string) bool { return path.Base(path.Dir(part)) == "in-kubernetes" }

// isTaught reports whether a page is one of those who teach.
func isTaught(page string) bool { return strings.HasPrefix(page, "teach/") }

// read returns the paths of the pages that are read: all but listings of code, slides
// and the window beside them, which have tests of their own, and whole chapters but the
// shortest, since each is made of its parts.
func (p place) read(t *testing.T) []string {
	t.Helper()
	made := slices.SortedFunc(slices.Values(p.wholes(t)), p.bySize(t))[1:]
	return slices.DeleteFunc(p.all(t), func(page string) bool {
		switch p.kind(t, page) {
		case "listing":
			return path.Ext(strings.TrimSuffix(page, ".html")) != ".md"
		case "", "slides", "presenter":
			return true // without a kind it is no page of the site
		}
		return slices.Contains(made, page)
	})
}

// all returns the paths of all pages of the site.
func (p place) all(t *testing.T) (pages []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(p.dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".html" {
			pages = append(pages, name)
		}
		return err
	}))
	return pages
}

// wholes returns the paths of the pages that have whole chapters on them.
func (p place) wholes(t *testing.T) []string {
	t.Helper()
	pages := p.glob(t, "*/print.html")
	require.Len(t, pages, len(p.chapters(t)))
	return pages
}

// listings returns the longest listings of code and the longest of tests, a
// chapter each, because most can go wrong in those.
func (p place) listings(t *testing.T) (longest []string) {
	t.Helper()
	for _, chapter := range p.chapters(t) {
		isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go.html") }
		all := p.glob(t, path.Dir(chapter)+"/*.go.html")
		longest = append(longest, p.longest(t, slices.DeleteFunc(slices.Clone(all), isTest)),
			p.longest(t, slices.DeleteFunc(all, func(name string) bool { return !isTest(name) })))
	}
	return longest
}

// pages returns a sample of the longest listings and of all pages that are read, and
// one of parts besides: most claims are about those.
func (p place) pages(t *testing.T) []string {
	t.Helper()
	pages := p.sample(t, append(p.read(t), p.listings(t)...))
	pages = append(pages, p.sample(t, p.parts(t))...)
	slices.Sort(pages)
	return slices.Compact(pages)
}

// longest returns the page of most bytes.
func (p place) longest(t *testing.T, pages []string) string {
	t.Helper()
	require.NotEmpty(t, pages, "a page to choose in %s", p.dir)
	return slices.MaxFunc(pages, p.bySize(t))
}

// bySize compares pages by their bytes.
func (p place) bySize(t *testing.T) func(a, b string) int {
	size := func(page string) int64 {
		info, err := os.Stat(filepath.Join(p.dir, filepath.FromSlash(page)))
		require.NoError(t, err)
		return info.Size()
	}
	return func(a, b string) int { return cmp.Compare(size(a), size(b)) }
}

// glob returns the paths of the site that match a pattern with slashes.
func (p place) glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, filepath.FromSlash(pattern)))
	require.NoError(t, err)
	var pages []string
	for _, full := range found {
		name, err := filepath.Rel(p.dir, full)
		require.NoError(t, err)
		pages = append(pages, filepath.ToSlash(name))
	}
	return pages
}
