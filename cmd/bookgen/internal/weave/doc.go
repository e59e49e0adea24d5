// Package weave puts the code into the prose: it makes the nodes of pages. Which
// code a reference shows, package snippet says; where a link leads, package link; what
// the text around it looks like, package prose.
//
// It works in two passes, because a link may lead to code that is shown further
// down, or in another chapter: Read resolves the references that stand alone in
// a paragraph and so decides which part shows which lines; Weave renders.
//
// In reading order:
//
//	chapter.go   a chapter, and the first pass over it
//	resolve.go   references, and the elements that they become
//	code.go      pieces of Go code
//	manifest.go  YAML and parts of it
//	output.go    captured output
//	strip.go     the paper that both are printed on
//	scene.go     commands typed into kubectl, and their output
//	state.go     states in which something stands still
//	verdict.go   and whether Kubernetes' own controllers print it, too
//	drawing.go   figures from recorded runs
//	picture.go   screenshots, and the run that one shows
//	number.go    numbers from recorded runs
//	fence.go     illustrations typed by hand
//	card.go      exercises
//	task.go      what an exercise's page says of its kind
//	weave.go     the second pass: the whole book
//	memory.go    all that the next weaving may need again
//	page.go      one page while it is rendered
//	href.go      links and numbers inside sentences
//	prediction.go questions of how a run goes on
//	listing.go   the page of a whole file
//	answers.go   the page of an exercise's file, with answers that look right
//	front.go     pieces of the chapters on the front page
//	map.go       who writes what, above each chapter
//	loop.go      the run that the front page plays
//	lessons.go   what an instructor says of a section
//	show.go      what a room looks at together
//	drill.go     an exercise as a room gets it
//	courses.go   a course with all of these
//	syllabus.go  the course for a reader alone, and all exercises
//	symbols.go   the index of declarations
//	search.go    the entries that the search finds
//	terms.go     the readers' names for them
//	length.go    the length of a part
//	measure.go   the measures of a page
package weave
