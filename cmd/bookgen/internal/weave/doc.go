// Package weave puts the code into the prose. It takes chapters apart into the
// pieces that references show, demands that every line of a core is shown once,
// and makes the nodes of pages.
//
// It works in two passes, because a link may lead to code that is shown further
// down, or in another chapter: Read resolves the references that stand alone in
// a paragraph and so decides which part shows which lines; Weave renders.
//
// In reading order:
//
//	program.go   a package of a chapter, and the meaning of its names
//	chapter.go   a chapter, and the first pass over it
//	resolve.go   references, and the elements that they become
//	piece.go     a piece of Go code: which bytes, which of them faded
//	forms.go     the forms of a piece: whole files, declarations, regions
//	fields.go    a struct with some of its fields
//	signature.go a declaration without its body
//	core.go      what a chapter is about, and what it leans on
//	coverage.go  every line of a core on a page once
//	manifest.go  YAML and parts of it
//	output.go    captured output
//	strip.go     the paper that both are printed on
//	scene.go     commands typed into kubectl, and their output
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
//	href.go      the targets of links inside sentences
//	links.go     the targets of identifiers in code
//	codehtml.go  pieces as nodes
//	prediction.go questions of how a run goes on
//	listing.go   the page of a whole file
//	places.go    which of its lines are on which page
//	answers.go   the page of an exercise's file, with answers that look right
//	front.go     pieces of the chapters on the front page
//	map.go       who writes what, above each chapter
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
