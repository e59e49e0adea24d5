// Package ebook makes an EPUB 3.3 of the book: a page of the site is a file in it,
// with notes at the end of their sections, for readers of any size that know no
// scripts and choose colours of their own.
//
// It promises:
//
//   - the same book gives the same bytes;
//   - every link inside leads to a file and an element that are there, and what the
//     e-book does not have is no link;
//   - every colour has a contrast of 4.5:1 on white paper and on black.
//
// What differs from the site is made from the tree that makes the site.
//
// Reading order:
//
//	ebook.go     the container and its files
//	pages.go     the pages, in reading order
//	contents.go  the contents, landmarks, and the list of pages
//	markup.go    the tree of a page in its file, with the places where pages begin
//	reflow.go    what differs from the site
package ebook
