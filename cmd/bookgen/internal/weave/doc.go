// Package weave puts the code into the prose. It takes chapters apart into
// what each reference shows, demands that every line of code is shown once,
// and renders the pages' HTML by goldmark with node renderers of its own.
//
// It works in two passes, because a link may lead to code that is shown
// further down, or in another chapter: Read resolves what stands alone in a
// paragraph and so decides what is shown where; Weave renders.
//
// In reading order:
//
//	program.go   a package of a chapter, and what its names mean
//	chapter.go   a chapter, and the first pass over it
//	resolve.go   what a reference names, and what it becomes
//	piece.go     a piece of Go code: which bytes, which of them faded
//	forms.go     the forms of a piece: whole files, declarations, regions
//	fields.go    a struct with some of its fields
//	signature.go a declaration without what is inside
//	fold.go      a piece that stands folded
//	coverage.go  every line on the page once
//	given.go     packages that no page shows, and their cards
//	door.go      what they export
//	manifest.go  YAML and parts of it
//	output.go    captured output
//	strip.go     the paper that both are printed on
//	scene.go     what was typed into kubectl, and what it printed
//	drawing.go   figures from recorded runs
//	number.go    numbers from recorded runs
//	fence.go     illustrations typed by hand
//	card.go      exercises
//	weave.go     the second pass: the whole book
//	memory.go    what the next weaving may need again
//	page.go      one page while it is rendered
//	href.go      where links inside sentences lead
//	links.go     where identifiers in code lead
//	codehtml.go  pieces as HTML
//	renderer.go  the goldmark extension
//	question.go  questions with their answers folded behind them
//	listing.go   the page of a whole file
//	answers.go   the page of an exercise's file, with answers that look right
//	front.go     what the front page shows of the chapters
//	symbols.go   the index of declarations
//	search.go    what the search finds
//	terms.go     what readers call it
//	length.go    how long a part is
//	measure.go   what a part holds, and where that is more than one sitting
//	proportion.go how much of a chapter's code is read
package weave
