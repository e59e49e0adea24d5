package site

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"strings"

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
	css := join("styles/", styles, ".css")
	files := map[string][]byte{
		"assets/book.css":    append(css, figure.Style()...),
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

var comment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:^\s*//.*$)`)

// join puts the named files together and leaves out what only a reader of the
// source needs: indentation, empty lines, and comments that begin a line.
func join(folder string, names []string, ext string) []byte {
	var out strings.Builder
	for _, name := range names {
		for line := range strings.Lines(comment.ReplaceAllString(read(folder+name+ext), "")) {
			if line = strings.TrimSpace(line); line != "" {
				out.WriteString(line + "\n")
			}
		}
	}
	return []byte(out.String())
}

// read returns an embedded file. One that is missing is a programmer's error.
func read(name string) string {
	content, err := assetFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}
