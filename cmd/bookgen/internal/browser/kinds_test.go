package browser

import (
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

// taught returns the paths of the pages of those who teach, kind by kind: the list
// of courses, what participants read before, and of each course its pages.
func (p place) taught(t *testing.T) [][]string {
	t.Helper()
	kinds := [][]string{p.glob(t, "teach/index.html"), p.glob(t, "teach/evening.html")}
	require.NotEmpty(t, kinds[0], "no list of courses in %s", p.dir)
	for _, page := range []string{"index", "notes", "handout", "answers"} {
		pages := p.glob(t, "teach/*/"+page+".html")
		require.NotEmpty(t, pages, "no course with %s in %s", page, p.dir)
		kinds = append(kinds, pages)
	}
	return kinds
}

// beside returns the paths of the pages beside the chapters: those at the root
// that are not the only ones of their kind.
func (p place) beside(t *testing.T, only [][]string) []string {
	t.Helper()
	pages := slices.DeleteFunc(p.glob(t, "*.html"), func(page string) bool { return slices.Contains(slices.Concat(only...), page) })
	require.NotEmpty(t, pages, "no page beside the chapters in %s", p.dir)
	return pages
}

// read returns the paths of the pages that are read, kind by kind: pages that
// are the only ones of their kind, those beside the chapters, those of courses,
// those of the index, parts, comparisons, exercises, and a whole chapter: each of
// those is made of its parts.
func (p place) read(t *testing.T) [][]string {
	t.Helper()
	exercises := p.glob(t, "*/exercises/*.md.html")
	require.NotEmpty(t, exercises, "no exercise in %s", p.dir)
	kinds := [][]string{{"index.html"}, {"contents.html"}, {"short.html"}, {"words.html"}, {"symbols.html"}, {"404.html"}}
	kinds = append(kinds, p.beside(t, kinds))
	kinds = append(kinds, p.taught(t)...)
	return append(kinds,
		p.glob(t, "symbols/*.html"),
		slices.DeleteFunc(p.parts(t), isComparison),
		slices.DeleteFunc(p.parts(t), func(part string) bool { return !isComparison(part) }),
		exercises,
		[]string{p.wholes(t)[0]})
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
func (p place) listings(t *testing.T) [][]string {
	t.Helper()
	var code, tests []string
	for _, chapter := range p.chapters(t) {
		isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go.html") }
		all := p.glob(t, path.Dir(chapter)+"/*.go.html")
		code = append(code, p.longest(t, slices.DeleteFunc(slices.Clone(all), isTest)))
		tests = append(tests, p.longest(t, slices.DeleteFunc(all, func(name string) bool { return !isTest(name) })))
	}
	return [][]string{code, tests}
}

// pages returns pages of every kind: the longest listings, and all pages that
// are read, but of exercises only each chapter's first, and of the index's
// letters and of the courses the longest, unless all are asked for.
func (p place) pages(t *testing.T) []string {
	t.Helper()
	pages := slices.Concat(append(p.read(t), p.listings(t)...)...)
	letter := p.longest(t, p.glob(t, "symbols/*.html"))
	var courses []string
	for _, kind := range p.taught(t) {
		courses = append(courses, p.longest(t, kind))
	}
	return slices.DeleteFunc(pages, func(page string) bool {
		switch path.Base(path.Dir(page)) {
		case "exercises":
			return !*whole && !strings.HasSuffix(page, ".1.md.html")
		case "symbols":
			return !*whole && page != letter
		}
		return !*whole && isTaught(page) && !slices.Contains(courses, page)
	})
}

// longest returns the page of most bytes.
func (p place) longest(t *testing.T, pages []string) string {
	t.Helper()
	require.NotEmpty(t, pages, "a page to choose in %s", p.dir)
	size := func(page string) int64 {
		info, err := os.Stat(filepath.Join(p.dir, filepath.FromSlash(page)))
		require.NoError(t, err)
		return info.Size()
	}
	return slices.MaxFunc(pages, func(a, b string) int { return int(size(a) - size(b)) })
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
