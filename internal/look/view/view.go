package view

import (
	"embed"
	"strings"
)

// Files holds page.html, look.css and the scripts that Script joins.
//
//go:embed page.html look.css scripts
var Files embed.FS

// parts are the scripts in the order in which they need each other.
var parts = []string{
	"element", "words", "state", "record", "yaml", "roving", "why", "cluster", "loops",
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

// Page returns the lab's page, which loads look.js and look.css from beside it.
func Page() []byte { return []byte(read("page.html")) }

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
