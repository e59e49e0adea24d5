// Package engine makes the book's engine for a page: the lab, its images and
// kubectl as one module of WebAssembly, in which a page plays scenes.
//
// In reading order: libraries.go (what is changed in libraries so that they
// compile for a page), modfile.go (a go.mod that leads to the changed ones),
// module.go (compiled, and packed), pages.go (a site that has it), sliders.go (the
// small modules of sliders, and their forms), web (what runs in the page).
package engine
