package main

import (
	"os"
	"strings"

	"gotest.tools/gotestsum/testjson"
)

// world holds the packages that .ci/world lists: those whose tests meet sockets,
// processes, a browser or containers.
type world []string

func readWorld() (world, error) {
	text, err := os.ReadFile(".ci/world")
	var w world
	for line := range strings.Lines(string(text)) {
		if name, listed := strings.CutPrefix(strings.TrimSpace(line), "./"); listed {
			w = append(w, "reconcile/"+name)
		}
	}
	return w, err
}

// has reports whether a test meets the world: its package is listed, or its name
// has Real in it.
func (w world) has(test testjson.TestCase) bool {
	if strings.Contains(test.Test.Name(), "Real") {
		return true
	}
	for _, name := range w {
		above, below := strings.CutSuffix(name, "/...")
		if test.Package == above || below && strings.HasPrefix(test.Package, above+"/") {
			return true
		}
	}
	return false
}
