// Package site turns a Book into the files of a web site.
//
// Render is pure: the same Book gives the same bytes, nothing is read from or
// written to disk. Its result is complete: pages, styles, scripts, fonts, the
// search index. Every link in it is relative, so the site works from a server,
// from a folder, and from a folder inside another site.
//
// Reading order:
//
//	book.go     the content of a site
//	render.go   the list of pages, and how one is made
//	memory.go   pages that need not be made again
//	links.go    addresses relative to the page that holds them
//	home.go     front page
//	chapter.go  the pages of a chapter's parts
//	whole.go    the page of all of them, to be printed
//	bound.go    the text as a bound book has it: on paper, or in an e-book
//	length.go   how long they take
//	turn.go     from each of them to the next
//	course.go   what the pages of those who teach show
//	teach.go    the pages themselves: courses, schedules, notes
//	slides.go   what a room looks at, and who presents
//	handout.go  what a room is given on paper
//	short.go    the path through the sections that are marked for it
//	words.go    the book's terms
//	listing.go  the pages of whole files
//	symbols.go  the index of declarations, by letters
//	search.go   the search index
//	sitemap.go  sitemap.xml
//	moved.go    addresses that pages had
//	texts.go    the feed of editions, and the lines to copy
//	foot.go     where a page's source is, and where a mistake is reported
//	preview.go  the pictures for previews of links
//	download.go the book as files beside the pages, and where they are offered
//	clone.go    the part of it that a clone of the book carries
//	assets.go   styles, scripts, fonts
package site
