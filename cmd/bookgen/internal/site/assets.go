package site

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"

	"reconcile/cmd/bookgen/internal/figure"
)

//go:embed styles scripts fonts art/favicon.svg
var assetFiles embed.FS

// styles are the parts of book.css, in the order of the cascade. What only the
// front page, the contents and the index need is a file of its own.
var (
	styles = []string{
		"fonts", "colours", "page", "prose", "code", "output", "notes", "exercise",
		"chapter", "dialogs", "wide", "print",
	}
	frontStyles = []string{"home", "contents", "index"}
)

// scripts are the parts of book.js. What searching needs is a file of its own,
// loaded when somebody searches.
var (
	scripts       = []string{"element", "theme", "sections", "copy", "answers", "reveal", "filter", "find", "keys"}
	searchScripts = []string{"match", "search"}
)

// assets returns the files that pages share.
func assets() map[string][]byte {
	files := map[string][]byte{
		"assets/book.css": append(join("styles/", styles, ".css"),
			minified(".css", figure.Style())...),
		"assets/front.css":   join("styles/", frontStyles, ".css"),
		"assets/book.js":     join("scripts/", scripts, ".js"),
		"assets/search.js":   join("scripts/", searchScripts, ".js"),
		"assets/favicon.svg": []byte(read("art/favicon.svg")),
	}
	fonts, err := fs.Glob(assetFiles, "fonts/*")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	for _, name := range fonts {
		files["assets/fonts/"+path.Base(name)] = []byte(read(name))
	}
	return files
}

// join puts the named files together, without what only a reader of the source
// needs.
func join(folder string, names []string, ext string) []byte {
	var all strings.Builder
	for _, name := range names {
		all.WriteString(read(folder + name + ext))
	}
	return minified(ext, all.String())
}

// minified panics on a style sheet or script that cannot be read: they are our
// own.
func minified(ext, text string) []byte {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	small, err := m.String(ext, text)
	if err != nil {
		panic(err)
	}
	return []byte(small)
}

// read returns an embedded file. One that is missing is a programmer's error.
func read(name string) string {
	content, err := assetFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}
