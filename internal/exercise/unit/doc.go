// Package unit builds the tests of an exercise in a page, where there is no go tool, but
// Go's compiler and linker, and all other packages compiled.
//
// In reading order: unit.go (what a page knows of a package), changed.go (whether others
// can see a change), checked.go and bounded.go (what ends tests that run for ever),
// build_js.go (compiled and linked).
package unit
