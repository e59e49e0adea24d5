// Package snippet says which lines of a chapter's code stand on which of its pages. A
// reference becomes a piece: bytes of a file, some of them faded. Every line of what a
// chapter is about is shown by one piece, once; all else may be shown as often as a page
// likes.
//
// Nothing here knows what a page looks like.
//
// Reading order:
//
//	program.go   a package of a chapter, and the meaning of its names
//	chapter.go   a chapter with its code
//	core.go      what a chapter is about, and what it leans on
//	coverage.go  every line of a core on a page once
//	piece.go     a piece of code: which bytes, which of them faded
//	forms.go     the forms of a piece: whole files, declarations, regions
//	fields.go    a struct with some of its fields
//	signature.go a declaration without its body
//	lines.go     lines of a piece, to choose some and to count them
//	places.go    which lines of a file are on which page
//	address.go   where code stands on the site
package snippet
