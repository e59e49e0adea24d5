// Package browser holds tests only: of the site, in a real Chromium.
//
// They run over two sites, the sample book, rendered afresh, and the book's
// own site where it has been built, and they ask of every kind of page what
// only a browser can tell. Without a Chromium in PATH they are skipped, unless
// RECONCILE_BROWSER=required. All but one, which opens a page, are slow: a reader's
// run leaves them out (package slow).
//
// All tests share one browser, whose tabs are lent to them. It is Chromium's
// headless shell where that is installed, which needs two thirds of the time. As
// many tests go on together as there are processors, and a page is opened once for
// all that it claims, at all widths.
//
// What holds for all pages is asked of a sample: of as few pages as have every kind
// of page and every class of element, and of those that differ from the main
// branch's, as git knows them. So a change of the text is seen where it is, and one
// of a template or a style on a page that it is for. With -whole, as .ci/deep pages
// has it, all pages are looked at, and by axe at all widths.
//
// Reading order:
//
//	chromium_test.go  finding and starting the browser
//	tab_test.go       what a test can do in a tab: open, press, ask
//	places_test.go    the sites
//	clone_test.go     one of them as a clone has it
//	held_test.go      one of them over a slow network
//	kinds_test.go     their pages, kind by kind
//	sample_test.go    a sample of those, and which have changed
//	claims_test.go    what a page claims, width by width
//	silence_test.go   nothing on the console, nothing from elsewhere
//	axe_test.go       accessibility
//	layout_test.go    widths, notes, anchors
//	shift_test.go     nothing moves when the fonts come
//	strip_test.go     what fits, what goes on below, what fades
//	walk_test.go      the tab key, and the arrows
//	where_test.go     where one is, and where one was
//	path_test.go      the short path
//	projector_test.go pages for a room
//	reading_test.go   without scripts, and on paper
//	predict_test.go   runs that are closed until a reader has predicted them
//	paper_test.go     nothing lies on anything else on paper
//	search_test.go    finding
//	phrasings_test.go finding what people type
//	scrub_test.go     going through a figure
//	loop_test.go      the run of the front page
//	lanes_test.go     going through the lives of Pods
//	slides_test.go    a course's slides, and who presents them
//	schedule_test.go  the clock beside them
//	habits_test.go    theme, keys, copying, answers
//	budget_test.go    what a page weighs
//	report_test.go    reporting a mistake
//	fragment_test.go  addresses with a stray percent sign
//	live_test.go      transcripts that go on
//	liveoffer_test.go what is said before an engine comes, and of what lacks
//	livesite_test.go  the site that they are on: it counts, holds back, packs
//	coverpicture_test.go  the cover of the e-book, for shops
//	figures_test.go   what such a page costs
//	lookoffer_test.go where a recorded run can be looked into
//	slider_test.go    figures that are drawn anew
//	writepage_test.go exercises that are written in their page
//	writeeach_test.go one of each chapter, before a change lands
//	writekept_test.go what of that is kept: in files, between tabs, without room, over plain HTTP
//	sheet_test.go     predictions that are written in theirs
//	boardpage_test.go what a board hears of a page, and what the page says of that
//	look_test.go      a cluster's loops, looked into
//	looklab_test.go   and those of a lab that runs, is held, and broken
//	looktime_test.go  their time line: the strip, zoom, what is of an object, a search
//	lookbeside_test.go  two runs of a cluster, beside each other
//	play_test.go      the page of an empty cluster, without an engine
//	playdrafts_test.go what is typed into its files, and not applied
//	playquick_test.go what readers do to it that its author hadn't in mind
//	playhostile_test.go links to it that mean harm
//	playlinks_test.go links to it, played
//	looklive_test.go  the run of a transcript, looked into
//	lookpictures_test.go  the pictures of them
//	coverpicture_test.go  the cover of the e-book, for shops
//	doorpicture_test.go  the picture in README
package browser
