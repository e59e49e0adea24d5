// Package paper prints the book: one PDF with page numbers, contents, references
// that name their pages, and an index.
//
// The document is a page of HTML that Chromium prints. Chromium knows where the
// sheets end, and cannot put that into a text. So it prints the book, the PDF says
// on which page everything came to lie, and it prints once more, with the numbers;
// until they are right.
//
//	paper.go     the book, printed until its numbers are right
//	document.go  the document: what is in it, in which order
//	index.go     the index
//	sheet.go     its paper: A4, US Letter, a book's own size
//	chromium.go  who prints
//	seal.go      whose it is, in the PDF's properties
//	preview.go   pictures for previews of links, which a browser draws as well
//	pages.go     where everything lies in a PDF
package paper
