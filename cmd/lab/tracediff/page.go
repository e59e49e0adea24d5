package tracediff

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"time"

	"reconcile/internal/exercise/workspace"
	"reconcile/internal/trace/view"
)

//go:embed page.html page.css page.js
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.html"))

// A Page shows two runs of a cluster beside each other, each at the step in which they
// differ first.
type Page struct {
	Title  string
	Says   string // where they differ
	Wanted string // what the test wanted
	// Differs reports whether they do, as far as they were recorded.
	Differs bool
	Sides   []Side

	contents map[string][]byte // by their paths
}

// Side is one of the two runs.
type Side struct {
	Name, Whose string
	Record      []byte // nil: this run has no such cluster
	At          int    // the entry to open at
}

// New returns the page of a test that was seen to fail.
func New(title string, seen *workspace.Seen) (*Page, error) {
	found, err := best(seen.Mine, seen.Book)
	if err != nil {
		return nil, err
	}
	differs := found.differ != nil && found.mine.JSON != nil
	p := &Page{Title: title, Says: found.says(seen.Functions), Wanted: seen.Wanted, Differs: differs, Sides: []Side{
		{Name: "mine", Whose: "Yours", Record: found.mine.JSON},
		{Name: "book", Whose: "The book’s", Record: found.book.JSON},
	}}
	if found.differ != nil {
		p.Sides[0].At, p.Sides[1].At = found.differ.atMine, found.differ.atBook
	}
	var shown bytes.Buffer
	if err := page.Execute(&shown, p); err != nil {
		return nil, err
	}
	p.contents = map[string][]byte{
		"/": shown.Bytes(), "/look.js": view.Script(), "/look.css": view.Style(),
		"/mine.json": found.mine.JSON, "/book.json": found.book.JSON,
	}
	for _, name := range []string{"page.css", "page.js"} {
		if p.contents["/"+name], err = files.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content := p.contents[r.URL.Path]
	if content == nil {
		http.NotFound(w, r)
		return
	}
	name := r.URL.Path
	if name == "/" {
		name = "page.html"
	}
	w.Header().Set("Cache-Control", "no-store")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
