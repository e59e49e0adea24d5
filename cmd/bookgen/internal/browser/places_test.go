package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// book is the folder of the book's own site, as it is committed.
const book = "../../../../site"

// place is a site in a folder, and a server of that folder.
type place struct {
	dir  string
	url  string // with a slash at the end
	book bool   // it is the book's own site
}

func (p place) file() string { return "file://" + filepath.ToSlash(p.dir) + "/" }

// serve serves a folder as long as the test runs. Each server is an origin of
// its own, and so has its own storage.
func serve(t *testing.T, dir string) place {
	t.Helper()
	absolute, err := filepath.Abs(dir)
	require.NoError(t, err)
	files := http.FileServer(http.Dir(absolute))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(absolute, filepath.FromSlash(r.URL.Path))); err != nil {
			content, _ := os.ReadFile(filepath.Join(absolute, "404.html")) // without it: nothing
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(content)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return place{dir: absolute, url: server.URL + "/"}
}

// sampleSite renders the sample book.
func sampleSite(t *testing.T) place {
	t.Helper()
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, content, 0o644))
	}
	return serve(t, dir)
}

// onEachSite runs a test on the sample, and on the book's own site if it is there.
func onEachSite(t *testing.T, test func(t *testing.T, p place)) {
	browserContext(t)
	t.Run("sample", func(t *testing.T) { test(t, sampleSite(t)) })
	if _, err := os.Stat(filepath.Join(book, "index.html")); err == nil {
		t.Run("book", func(t *testing.T) {
			p := serve(t, book)
			p.book = true
			test(t, p)
		})
	}
}

// chapters returns the paths of the first pages of the site's chapters.
func (p place) chapters(t *testing.T) []string {
	t.Helper()
	pages := p.glob(t, "*/index.html")
	require.NotEmpty(t, pages, "no chapter in %s", p.dir)
	return pages
}

// parts returns the paths of all pages of the site's chapters.
func (p place) parts(t *testing.T) []string {
	t.Helper()
	pages := append(p.chapters(t), p.glob(t, "*/*/index.html")...)
	slices.Sort(pages)
	return pages
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

// pages returns pages of every kind: all parts, and of their chapters' listings the
// longest of code and the longest of tests, being those where most can go wrong,
// and the first exercise.
func (p place) pages(t *testing.T) []string {
	t.Helper()
	pages := []string{"index.html", "contents.html", "symbols.html", "404.html"}
	pages = append(pages, p.parts(t)...)
	for _, chapter := range p.chapters(t) {
		code, tests := p.longestListings(t, path.Dir(chapter))
		pages = append(pages, code, tests)
		exercise := path.Join(path.Dir(chapter), "exercises", path.Base(path.Dir(chapter))[1:2]+".1.md.html")
		require.FileExists(t, filepath.Join(p.dir, filepath.FromSlash(exercise)))
		pages = append(pages, exercise)
	}
	return pages
}

func (p place) longestListings(t *testing.T, slug string) (code, tests string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, slug, "*.go.html"))
	require.NoError(t, err)
	var codeSize, testsSize int64
	for _, full := range found {
		info, err := os.Stat(full)
		require.NoError(t, err)
		name, size := &code, &codeSize
		if strings.HasSuffix(full, "_test.go.html") {
			name, size = &tests, &testsSize
		}
		if info.Size() > *size {
			*name, *size = slug+"/"+filepath.Base(full), info.Size()
		}
	}
	require.NotEmpty(t, code, "no listing of code in %s", slug)
	require.NotEmpty(t, tests, "no listing of tests in %s", slug)
	return code, tests
}

// quote writes a string as a literal of JavaScript.
func quote(s string) string {
	literal, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(literal)
}
