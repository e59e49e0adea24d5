package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// root is the book's own folder, and book that of its pages as they are
// committed, without listings.
const (
	root = "../../../.."
	book = root + "/site"
)

// place is a site in a folder, and a server of that folder.
type place struct {
	dir  string
	url  string // with a slash at the end
	book bool   // it is the book's own site

	elsewhere []string // classes that the other site has
}

func (p place) file() string { return "file://" + filepath.ToSlash(p.dir) + "/" }

// serve serves a folder. Each server is an origin of its own, and so has its
// own storage. It goes on until all tests have ended: a port that was given
// back could come again, with the storage that belongs to it.
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
	atTheEnd(server.Close)
	return place{dir: absolute, url: server.URL + "/"}
}

// renderSample renders the sample book, once for all tests, into a folder.
var renderSample = sync.OnceValues(func() (dir string, err error) {
	files, err := site.Render(sample.Book())
	if err != nil {
		return "", err
	}
	dir = filepath.Join(workshop, "sample")
	return dir, write(dir, files)
})

// renderBook does the same for the book itself, with its listings.
var renderBook = sync.OnceValues(func() (dir string, err error) {
	cache, err := build.DefaultCache()
	if err != nil {
		return "", err
	}
	edition, err := build.Compose(context.Background(), build.Options{Root: root, Cache: cache})
	if err != nil {
		return "", err
	}
	dir = filepath.Join(workshop, "book")
	return dir, write(dir, edition.Files)
})

// write writes files into a folder.
func write(dir string, files map[string][]byte) error {
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sampleSite serves the sample book.
func sampleSite(t *testing.T) place {
	t.Helper()
	dir, err := renderSample()
	require.NoError(t, err)
	return serve(t, dir)
}

// onEachSite runs a test on the sample, and on the book's own site.
func onEachSite(t *testing.T, test func(t *testing.T, p place)) {
	browserContext(t)
	dir, err := renderBook()
	require.NoError(t, err)
	own, p := serve(t, dir), sampleSite(t)
	own.book, p.elsewhere = true, own.classesOf(t, own.all(t))
	t.Run("sample", func(t *testing.T) { test(t, p) })
	t.Run("book", func(t *testing.T) { test(t, own) })
}

// quote writes a string as a literal of JavaScript.
func quote(s string) string {
	literal, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(literal)
}
