package serve

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/httpserve"
)

//go:embed live.js
var liveScript string

const newsPath = "/-/news"

// handler serves the pages that there are at the moment of each request, and adds
// to them the script that reloads them.
func handler(o build.Options, news *news) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(newsPath, news)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" || strings.HasSuffix(r.URL.Path, "/") {
			name = path.Join(name, "index.html")
		}
		current, _ := news.read() // before the page: an older one's number only makes it load again
		dir, _ := edition(o)
		status := http.StatusOK
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			if serveSource(w, r, o, name) {
				return
			}
			status, name = http.StatusNotFound, "404.html"
			content, err = os.ReadFile(filepath.Join(dir, name))
			content = bytes.Replace(content, []byte("<head>"), []byte(`<head><base href="/">`), 1) // it stands at any path
		}
		if errors.Is(err, fs.ErrNotExist) {
			content = []byte("<!doctype html><title>Not built yet</title><body><p>The book is not built yet; this page is not among those that there are.</body>")
		}
		w.Header().Set("Cache-Control", "no-store")
		if status == http.StatusOK {
			httpserve.Packed(w, r)
		}
		if path.Ext(name) != ".html" {
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(withScript(content, current.Build)) // a browser that went away needs no page
	})
	return mux
}

// serveSource serves a file of the chapters as text: committed pages lead to files
// where built ones lead to listings. It reports whether there is such a file.
func serveSource(w http.ResponseWriter, r *http.Request, o build.Options, name string) bool {
	if !strings.HasPrefix(name, filepath.Base(o.Chapters())+"/") {
		return false
	}
	content, err := os.ReadFile(filepath.Join(o.Root, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	return true
}

// withScript puts the script at the end of the page, with the number of the
// build that the page is from.
func withScript(content []byte, build int) []byte {
	script := fmt.Sprintf("<script>\n(function (builtBy, newsPath) {\n%s})(%d, %q)\n</script>\n", liveScript, build, newsPath)
	end := bytes.LastIndex(content, []byte("</body>"))
	if end < 0 {
		end = len(content)
	}
	return bytes.Join([][]byte{content[:end], []byte(script), content[end:]}, nil)
}
