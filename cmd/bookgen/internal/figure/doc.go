// Package figure draws the book's pictures from recorded runs.
//
// A figure is SVG that stands in the page's own HTML: it takes its colours and
// fonts from the page, so that one drawing serves light and dark screens,
// forced colours and paper. It is made twice, once for a wide column and once
// for a phone, and the page shows the one that fits; nothing is ever scaled
// until it cannot be read, and nothing scrolls sideways.
//
// The package promises:
//
//   - the same data give the same bytes;
//   - no label touches another, or leaves the paper;
//   - no colour without a custom property, no id without the figure's prefix;
//   - data that cannot be drawn truthfully are an error that says where.
//
// A picture that exists once is a drawing with blanks. A kind of figure, with a
// program that draws it, needs two pictures.
//
// # Drawings with blanks
//
// [Fill] draws a run in the blanks of an SVG file that stands beside the chapter,
// figures/NAME.svg. It holds both variants, and what both have in common:
//
//	<svg xmlns="http://www.w3.org/2000/svg">
//	  <title>Where {pod} goes</title>
//	  <metadata>
//	    nodes.*.name: node-1, node-2
//	    chosen: node-2
//	  </metadata>
//	  <defs>
//	    <text id="sum" y="20" data-room="60">{.sum}</text>
//	  </defs>
//	  <svg class="wide" viewBox="0 0 680 40" data-x="0 0 100 44">
//	    <use href="#sum" data-at="nodes.0"/>
//	    <path class="f-s0" d="M0 30h{x nodes.0.sum}"/> …
//	  </svg>
//	  <svg class="narrow" viewBox="0 0 340 60"> … </svg>
//	</svg>
//
// A blank is a path into the run's JSON, in braces. Its words are joined by dots:
// the name of a field, the index of an element, * for all elements of a list, @pod
// for a list's elements that have a pod, in groups of one pod each. A path that
// begins with a dot goes on from the nearest data-at.
//
// The metadata say what the drawing was made for: a line a path, and the values
// that the run must have there, - for none. Every value of a run has to be shown
// in a blank or expected here, so that a run with one node more, or in another
// order, is refused.
//
// A blank {x PATH} is the value's place on the nearest data-x, of which each piece
// is two values with an x behind each: "0s 98 2m20s 477, 6m40s 503 7m40s 666". A
// value can also be written out, {x 20s}. {x PATH PATTERN} is the pattern for each
// of several values, with its place for the %; those that lie between two pieces
// are left out.
//
// A text with a blank needs a data-room, its own or that of a group: how wide a
// line may be, and how many lines there may be below each other. It is wrapped. A
// tspan with an x or a y begins elsewhere; with a dy, below the last line. The
// group of a step has a data-s, 1 and up, and the arrow between two a data-e; a
// reader can go through a drawing that has them. What is said of a step is what
// its group in the narrow drawing says, or that group's data-t. A step over time
// has a path of the class f-z at its instant; what is drawn over time in no step's
// group is in one of the class f-w: it goes no further than the step at hand.
//
// Besides title, metadata and defs, a drawing is made of path, circle, rect, text,
// g and use, with the classes of [Style] and no colours. Its errors have a line
// each: a blank for which the run has nothing, a value that the
// drawing was not made for or does not show, a text that is too long, that touches
// another or leaves the paper.
//
// # Kinds
//
// [Render] draws the other figures.
//
// A "plot" is drawn from measurements:
//
//	{"title": "…",                               // optional
//	 "x": {"label": "Pods", "log": true},
//	 "y": {"label": "time to notice", "unit": "µs", "log": false},
//	 "series": [{"name": "informer", "points": [[10, 1.2], [100, 1.3]]}]}
//
// In one to four series, with x growing. The first series is the one to follow.
// Points of more than 30 are not marked. Two more fields are optional:
//
//	"absences": [{"name": "mysql-2 is away", "from": 20, "to": 53}],
//	"lack": "orders that mysql-2 lacks"
//
// An absence is shaded, and a line that has no point in it is not drawn across it.
// What is lacking is the difference of two series, where both have a point; it is
// drawn below them.
//
// "lanes" are drawn from the recorded lives of Pods during an update:
//
//	{"title": "…",                               // optional
//	 "replicas": 3, "most": 4, "least": 2,       // wanted, and the bounds
//	 "until": 25000000000,                       // optional: where time ends
//	 "pods": [{"version": "v1",                  // a lane each, in order
//	   "name": "web-0", "phases": [              // the name is optional
//	   {"at": 2000000000, "is": "ready"}]}],     // or created, running, ending, gone
//	 "counts": [{"at": 0, "there": 3, "available": 3}]}  // from there on
//
// Of one to three versions, of which the last to appear is the new one. A lane
// is labelled with its Pod's name, or else its version. At least nothing is no
// bound.
//
// "spans" are drawn from recorded Pods and what outlives them:
//
//	{"title": "…",                               // optional
//	 "until": 60000000000,                       // where time ends
//	 "replicas": [{"at": 0, "count": 3}],        // optional: wanted, from there on
//	 "groups": [{"label": "claims", "lanes": [{  // below each other, in order
//	   "name": "www-web-0", "ordinal": 0,        // 0 to 2: lanes of one look alike
//	   "phases": [{"at": 2000000000, "is": "bound"}]}]}]}
//
// Phases are created, ready, ending, pending, bound and gone. After gone comes
// another of the same name.
//
// A "map" is drawn from what a chapter builds, written by hand:
//
//	{"title": "…",                               // optional
//	 "stations": [{"id": "queue", "label": "queue",  // 2 to 6, in order
//	   "answers": "what is to be done", "file": "queue.go"}],
//	 "back": "a write"}       // what the last one sends to the first
//
// As "map 0" it is the plan, with what each answers; as "map 2" the first two
// are built, the second of them just now.
//
// "writers" are drawn from a recorded run:
//
//	{"writes": 1234, "loops": 17,                // for the text beside it
//	 "programs": [{"name": "kubelet", "chapter": 1}],  // in the chapters' order
//	 "kinds": [{"name": "Pod", "writes": [
//	   {"program": "kubelet", "spec": true, "status": true}]}]}
//
// As "writers 3" what chapter 3 builds is lit, and what comes later is faint.
//
// In reading order:
//
//	figure.go     Render, the kinds, the wrapper around the two variants
//	style.go      the classes, and the style sheet that a page includes once
//	canvas.go     writing SVG elements
//	font.go       how wide a text will be
//	label.go      texts of several fonts, wrapped into lines
//	json.go       reading data strictly
//	clock.go      times and numbers as people say them
//	blanks.go     Fill: a drawing, element by element
//	markup.go     the elements of an SVG file, and their lines
//	recording.go  a run, the paths into it, and the values that no blank has used
//	filled.go     the text of a blank, and its place on a scale
//	typeset.go    a text with blanks, in the room that it has
//	series.go     the data of a plot
//	axis.go       scales, and ticks at values that people count in
//	plot.go       kind "plot": lines over axes
//	ends.go       the labels at the lines' ends
//	timeline.go   bars and instants of lanes over time
//	lives.go      the data of lanes
//	lanes.go      kind "lanes": a lane a Pod, and how many there are
//	legend.go     what bars and lines mean
//	chronicle.go  the data of spans
//	spans.go      kind "spans": a lane a name, in groups that belong together
//	stations.go   the data of a map
//	map.go        kind "map": what is built, and what is to come
//	writers.go    kind "writers": which program writes what of which kind
//	loop.go       a loop that closes on its aim
//	opengraph.go  the same beside the words of a link's preview
package figure
