package view

import (
	"embed"
	"strings"
)

// Files holds page.html with its own style and script, look.css, and the scripts that
// Script joins.
//
//go:embed page.html page.css page.js look.css scripts
var Files embed.FS

// parts are the scripts in the order in which they need each other.
var parts = []string{
	"element", "words", "state", "record", "yaml", "roving", "why", "waits", "cluster", "kin", "loops",
	"object", "traffic", "changes", "hold", "time", "view",
}

// Script returns look.js: all scripts in a scope of their own, so that a page keeps its
// names, and gets the one, lookView.
func Script() []byte {
	var all strings.Builder
	all.WriteString("const lookView = (() => {\n")
	for _, part := range parts {
		all.WriteString(read("scripts/" + part + ".js"))
	}
	all.WriteString("return lookView;\n})();\n")
	return []byte(all.String())
}

// Style returns look.css.
func Style() []byte { return []byte(read("look.css")) }

// Page returns the lab's page, which loads look.js and look.css from beside it, and what
// PageStyle and PageScript return as page.css and page.js: nothing is in the page
// itself, so that Policy can forbid that.
func Page() []byte { return []byte(read("page.html")) }

// PageStyle returns page.css.
func PageStyle() []byte { return []byte(read("page.css")) }

// PageScript returns page.js.
func PageScript() []byte { return []byte(read("page.js")) }

// Policy is what a browser is to let the page do (Content-Security-Policy): files from
// beside it and an icon that is empty, and nothing that is written into a page.
const Policy = "default-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Element returns the helper by which scripts make elements: the book's own are written
// with it, too.
func Element() string { return read("scripts/element.js") }

// read returns an embedded file. One that is missing is a programmer's error.
func read(name string) string {
	content, err := Files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}
