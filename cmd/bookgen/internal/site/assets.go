package site

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/internal/trace/view"
)

//go:embed styles scripts fonts art/favicon.svg
var assetFiles embed.FS

// A bundle is an asset made of parts, in their order. Every page has book.css
// and book.js. Parts that only some kinds of pages need, or only a reader who
// asks for them, are bundles of their own.
type bundle struct {
	folder string
	parts  []string
}

var bundles = map[string]bundle{
	"book.css": {"styles", []string{
		"fonts", "colours", "page", "prose", "code", "output", "notes", "predict", "exercise",
		"chapter", "sections", "wide", "projector", "print",
	}},
	"front.css":   {"styles", []string{"loop", "home", "contents", "words", "fields", "index"}},
	"listing.css": {"styles", []string{"listing"}},
	"teach.css":   {"styles", []string{"teach", "handout"}},
	"dialogs.css": {"styles", []string{"fields", "dialogs"}},
	"scrub.css":   {"styles", []string{"steps", "scrub"}},
	"look.css":    {"styles", []string{"view", "inside"}},
	"write.css":   {"styles", []string{"write"}},
	"slides.css":  {"styles", []string{"loop", "steps", "slides", "presenter"}},

	"book.js":   {"scripts", []string{"element", "preferences", "projector", "theme", "permalinks", "sections", "resume", "copy", "walk", "mode", "predict", "reveal", "load", "find", "figures", "look", "keys", "paper", "report"}},
	"filter.js": {"scripts", []string{"filter"}},
	"search.js": {"scripts", []string{"query", "haystack", "match", "search"}},
	"help.js":   {"scripts", []string{"help"}},
	"path.js":   {"scripts", []string{"path"}},
	"sheet.js":  {"scripts", []string{"compare", "sheet"}},
	"loop.js":   {"scripts", []string{"loop"}},
	"scrub.js":  {"scripts", []string{"steps", "scrub"}},
	"look.js":   {"scripts", []string{"view", "inside"}},

	"write-shelf.js": {"scripts", []string{"shelf", "commands", "board"}},

	"slides.js":    {"scripts", []string{"element", "preferences", "load", "steps", "slides"}},
	"presenter.js": {"scripts", []string{"element", "preferences", "presenter"}},
}

// assets returns the files that pages share. They are made once.
var assets = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{
		"assets/favicon.svg": []byte(read("art/favicon.svg")),
	}
	for name, b := range bundles {
		files["assets/"+name] = b.join(path.Ext(name))
	}
	files["assets/book.css"] = append(files["assets/book.css"], minified(".css", figure.Style())...)
	fonts, err := fs.Glob(assetFiles, "fonts/*")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	for _, name := range fonts {
		files["assets/fonts/"+path.Base(name)] = []byte(read(name))
	}
	return files
})

// join puts the parts together, without the text that only a reader of the
// source needs.
func (b bundle) join(ext string) []byte {
	var all strings.Builder
	for _, part := range b.parts {
		switch part + ext {
		case "element.js":
			all.WriteString(view.Element())
		case "view.js":
			all.Write(view.Script())
		case "view.css":
			all.Write(view.Style())
		default:
			all.WriteString(read(b.folder + "/" + part + ext))
		}
	}
	return minified(ext, all.String())
}

// minified panics on a style sheet or script that cannot be read: they are our
// own.
func minified(ext, text string) []byte {
	small, err := Minified(ext, []byte(text))
	if err != nil {
		panic(err)
	}
	return small
}

// Minified returns a style sheet or a script without what only a reader of the source
// needs.
func Minified(ext string, text []byte) ([]byte, error) {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	return m.Bytes(ext, text)
}

// read returns an embedded file. One that is missing is a programmer's error.
func read(name string) string {
	content, err := assetFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// Assets returns the files that pages share, by their paths from the site's root. They
// are not to be changed.
func Assets() map[string][]byte { return assets() }
