// Package browser holds tests only: of the site, in a real Chromium.
//
// They run over two sites, the sample book, rendered afresh, and the book's
// own site where it has been built, and they ask of every kind of page what
// only a browser can tell. Without a Chromium in PATH they are skipped, unless
// RECONCILE_BROWSER=required.
//
// Reading order:
//
//	chromium_test.go  finding and starting the browser
//	tab_test.go       what a test can do in a tab: open, press, ask
//	places_test.go    the sites and their pages
//	silence_test.go   nothing on the console, nothing from elsewhere
//	axe_test.go       accessibility
//	layout_test.go    widths, notes, anchors
//	strip_test.go     what fits, what goes on below, what fades
//	walk_test.go      the tab key, and the arrows
//	where_test.go     where one is, and where one was
//	reading_test.go   without scripts, and on paper
//	search_test.go    finding
//	scrub_test.go     going through a figure
//	opengraph_test.go the picture for link previews
//	habits_test.go    theme, keys, copying, answers
//	budget_test.go    what a page weighs
package browser
