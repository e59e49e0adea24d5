// Package engine makes the book's engine for a page: the lab, its images and
// kubectl as one module of WebAssembly, in which a page plays scenes.
//
// In reading order: library.go (how a library is changed), libraries.go (what is
// changed in which, and why), flags.go (those of Go's command by which the changed
// ones are compiled), module.go (compiled, and packed), table.go (what a module
// is without), pages.go (a site that has it), sliders.go (the small modules of sliders,
// and their forms), web (what runs in the page).
package engine
