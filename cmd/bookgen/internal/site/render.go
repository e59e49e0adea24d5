package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"sync"
)

//go:embed templates/*.html
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.html"))

// Render makes every file of the site: slash-separated path to content. It
// reports a book that it cannot make a site of: two pages at one path, or a
// page whose template fails.
func Render(b *Book) (map[string][]byte, error) { return new(Memory).Render(b) }

// Render does the same as the function, and takes the pages that show the same
// as before from memory.
func (m *Memory) Render(b *Book) (map[string][]byte, error) {
	m.before, m.listings = m.listings, map[string]rendered{}
	files, err := m.render(pages(b))
	if err != nil {
		return nil, err
	}
	maps.Copy(files, assets())
	maps.Copy(files, b.Texts)
	files[searchDataPath], err = searchData(b, nil)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	if b.URL != "" { // a site map has absolute addresses only, and so has a feed
		files["sitemap.xml"] = sitemap(b)
		files["feed.xml"] = []byte(b.text("feed.xml"))
	}
	return files, b.addMoved(files)
}

// render makes pages.
func (m *Memory) render(pages []*page) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, p := range pages {
		if _, taken := files[p.Path]; taken {
			return nil, fmt.Errorf("two pages want the path %s", p.Path)
		}
		content, err := m.page(p)
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", p.Path, err)
		}
		files[p.Path] = content
	}
	return files, nil
}

// page is what a template gets to see.
type page struct {
	Path        string // from the root of the site
	Kind        string // the template's name, and the class of the page's body
	Heading     string // of the window, and of a link's preview
	Description string

	Book    *Book
	Chapter *Chapter // for a chapter's pages and its listings
	Part    *Part    // for a chapter's page
	Beside  *Beside  // for a page beside the chapters
	Listing *Listing // for a listing page
	Letter  *Letter  // for a page of the index
	Course  *Course  // for a page of those who teach

	Downloads []Download // that the page offers

	left sources // to which a clone's links lead; nil on a site that has all of its pages
}

// Pages holds the paths of pages that the site makes of the whole book, by the
// names that a text has for them.
var Pages = map[string]string{
	"contents": "contents.html", "short": "short.html", "words": "words.html", "index": "symbols.html",
	"teach": TeachFolder + "/index.html",
}

const shortTitle = "The three-hour path"

// pages lists all pages, in reading order.
func pages(b *Book) []*page {
	list := []*page{
		{Path: "index.html", Kind: "home", Heading: title(b.Title, b.Subtitle), Description: b.Description},
		{Path: Pages["contents"], Kind: "contents", Heading: title("Contents", b.Title),
			Description: "The chapters of " + b.Title + ", their sections and exercises."},
		{Path: Pages["short"], Kind: "short", Heading: title(shortTitle, b.Title),
			Description: "The sections of " + b.Title + " to read first, if you have an afternoon."},
		{Path: Pages["words"], Kind: "words", Heading: title("Words", b.Title),
			Description: "The words of " + b.Title + ", a sentence each: where it is built, what else it is called, and its name in Chinese."},
		{Path: Pages["index"], Kind: "symbols", Heading: title("Index of declarations", b.Title),
			Description: "Every declaration in the code of " + b.Title + ", where it is shown and where it is used."},
		{Path: "404.html", Kind: "notfound", Heading: title("Not found", b.Title)},
	}
	if b.Play != nil {
		list = append(list, &page{Path: "play.html", Kind: "play", Heading: title("Play: Kubernetes in a page", b.Title),
			Description: "A Kubernetes cluster in a page, with kubectl, without an account or a server: a link to what was typed plays the same for everybody."})
	}
	for _, beside := range b.Beside {
		p := &page{Path: beside.File, Kind: "beside", Beside: beside}
		p.Heading, p.Description = described(b, beside.Search, beside.Title, beside.Summary)
		list = append(list, p)
	}
	for _, l := range letters(b) {
		list = append(list, &page{Path: l.Path, Kind: "declarations", Letter: l,
			Heading:     title("Index of declarations: "+l.Title(), b.Title),
			Description: "Declarations in the code of " + b.Title + ": " + l.Title() + "."})
	}
	for _, c := range b.Chapters {
		list = append(list, chapterPages(b, c)...)
	}
	list = append(list, teachPages(b)...)
	for _, p := range list {
		p.Book = b
	}
	return list
}

func title(what, where string) string {
	if where == "" {
		return what
	}
	return what + " · " + where
}

// Main returns the part of the page that its kind makes different.
func (p *page) Main() (template.HTML, error) {
	content, err := execute(p.Kind, p)
	return template.HTML(content), err
}

func (p *page) render() ([]byte, error) { return execute("base", p) }

// buffers are for one page after the other.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func execute(name string, p *page) ([]byte, error) {
	out := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(out)
	out.Reset()
	err := templates.ExecuteTemplate(out, name, p)
	return bytes.Clone(out.Bytes()), err
}
