// Package link says where a link on a page leads: a reference inside a sentence, and
// an identifier in code.
//
// In reading order:
//
//	files.go    which files of a chapter have a page
//	chapter.go  where its exercises, files and elements stand
//	book.go     all chapters, their packages, and the ids of pages
//	page.go     references, from a page
//	code.go     identifiers, in a piece and in a listing
package link
