// Package toolchain makes what a page needs to judge exercises without a server: Go's
// own compiler and linker as modules of WebAssembly, the compiled packages that tests
// link, and lab. In a page only the package that a reader writes in is compiled again and,
// if others can see what is changed in it, those that import it.
//
// In reading order: compiler.go (Go's, changed in one place), unit.go (the packages, as
// it compiles them), archives.go (what a page needs of these), packs.go (archives that are
// fetched together), toolchain.go (all of it, in a site), web (what runs in the page).
package toolchain
