// Package internal is the map of the house: of all packages around the chapters.
//
// It has two wings. One makes the book of the chapters, which it reads as text and
// never links, so that an edit of a chapter is on its page at once. The other makes
// a cluster of them, and knows nothing of pages. Neither imports the other; packages
// that both need import neither. A chapter imports packages of the house only in its
// tests.
//
// The wings are not folders: four hundred files would move, and all that would be
// gained is a longer path to each. The list says which is which.
//
// Each line is a folder, what it is, and, in brackets, what it imports of the
// house: chapters, and lines above it, so that there is no circle. A test holds
// it (internal/architecture, map_test.go). A folder's line covers all that is below
// it, except folders with a line of their own.
//
// Both wings stand on these:
//
//	wake         wakes a goroutine that waits
//	digest       a digest of packages, as a key of caches
//	httpserve    every HTTP listener of the book
//	filelock     one process at a time
//	gowork       starts the go tool
//	trace/view   the page in which a cluster's loops are seen at work
//	diskcache    results that took time, until nobody asks for them
//	exercise/numbering  what exercises are called
//	inpage       runs programs one within another, in a page
//	openexercises  runs a chapter's tests while exercises are open [exercise/numbering inpage]
//	source       Go files as data: declarations, regions, marks [exercise/numbering]
//	slow         tests that a reader doesn't wait for
//	script       the text of scenes as data [source]
//	atomicfile   writes a file whole, or not at all
//	english      lists in sentences, wrapped text, and text that is safe on a terminal
//	cmd/bookgen/internal/figure  draws recorded runs [source]
//	cmd/bookgen/internal/slider  forms below figures, by which they are drawn anew [cmd/bookgen/internal/figure]
//	cmd/lab/program  how lab's two programs begin and end
//
// The book:
//
//	licences     other people's code in programs, with its licences [gowork]
//	gate         the test steps of .ci/run [gowork slow]
//	exercise     cuts exercises out of chapters, judges and proves them [atomicfile digest diskcache exercise/numbering filelock gowork inpage openexercises source]
//	workshop/course  courses, as their files have them [source]
//	cmd/bookgen  chapters and courses become pages [atomicfile cmd/bookgen/internal/figure cmd/bookgen/internal/slider digest diskcache exercise filelock gowork httpserve licences script source trace/view workshop/course]
//	workshop     packs the book for a room without a network; checks a machine; shows how far a class is [digest english exercise exercise/numbering gowork httpserve licences]
//	cmd/lab/pages  the site, in a program that was packed with it
//	cmd/lab      works the exercises; becomes cmd/lab/cluster for the rest [cmd/lab/pages cmd/lab/program english exercise gowork httpserve licences source trace/view workshop workshop/course]
//
// The cluster:
//
//	events       writes what controllers report as Events [chapters]
//	variables    the environment of containers [chapters]
//	kubectl      Kubernetes' own, in this process
//	trace        records, holds and breaks control loops [chapters trace/view]
//	apiserver    Kubernetes' HTTP API over chapter 1's store, and what it refuses [chapters httpserve]
//	images       the programs of simulated containers [apiserver chapters wake]
//	lab          a control plane and its nodes, as lab up runs them [apiserver atomicfile chapters english events exercise/numbering filelock httpserve images trace trace/view variables wake]
//	kubetest     what the chapters' tests share: a cluster in a bubble [chapters openexercises slow source trace wake]
//	sqltest      what the tests of chapter 7's SQL, wire and clients share [chapters]
//	cmd/bookgen/internal/slider/chapter03  draws its sliders [chapters cmd/bookgen/internal/slider kubetest]
//	cmd/bookgen/internal/slider/page  all of them, in one module of a page [cmd/bookgen/internal/slider cmd/bookgen/internal/slider/chapter03]
//	scene        plays scenes [chapters kubectl kubetest lab script source trace wake]
//	cmd/lab/cluster  lab up, kubectl and the like [cmd/lab/program kubectl lab trace]
//
// Besides them there is architecture, tests that hold the house to this map. Modules
// of their own stand beside this folder: takeover has the cluster's controllers and
// machines meet clusters elsewhere; judges builds Kubernetes' own programs, and has
// them judge the book's.
package internal
