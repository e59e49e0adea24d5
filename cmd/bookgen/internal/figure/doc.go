// Package figure draws the book's pictures from recorded runs.
//
// A figure is SVG that stands in the page's own HTML: it takes its colours and
// fonts from the page, so that one drawing serves light and dark screens,
// forced colours and paper. It is made twice, once for a wide column and once
// for a phone, and the page shows the one that fits; nothing is ever scaled
// until it cannot be read, and nothing scrolls sideways.
//
// What the package promises:
//
//   - the same data give the same bytes;
//   - no label touches another;
//   - every step of a run is drawn, and every arrow follows a recorded cause;
//   - no colour without a custom property, no id without the figure's prefix;
//   - data that cannot be drawn truthfully are an error that says where.
//
// A "path" is drawn from a run, which a test recorded:
//
//	{"title": "…",                               // optional
//	 "lanes": [{"id": "store", "label": "…"}],   // optional: 1 to 8, in order
//	 "steps": [{
//	   "at": 2000000000,        // nanoseconds since the run began, never less
//	   "lane": "store",         // "store" is where new versions come from
//	   "action": "update",
//	   "object": "Pod default/web-x7k2p",  // optional; and so all that follows
//	   "version": 8,            // or "8"
//	   "note": "what a reader should know",
//	   "id": "written",         // for others to name as their cause
//	   "from": "started"        // the cause; absent: the step before; "": none
//	 }]}
//
// A "plot" is drawn from measurements:
//
//	{"title": "…",                               // optional
//	 "x": {"label": "Pods", "log": true},
//	 "y": {"label": "time to notice", "unit": "µs", "log": false},
//	 "series": [{"name": "informer", "points": [[10, 1.2], [100, 1.3]]}]}
//
// In one to four series, with x growing. The first series is the one to follow.
//
// "lanes" are drawn from the recorded lives of Pods during an update:
//
//	{"title": "…",                               // optional
//	 "replicas": 3, "most": 4, "least": 2,       // wanted, and the bounds
//	 "until": 25000000000,                       // optional: where time ends
//	 "pods": [{"version": "v1", "phases": [      // a lane each, in order
//	   {"at": 2000000000, "is": "ready"}]}],     // or created, running, ending, gone
//	 "counts": [{"at": 0, "there": 3, "available": 3}]}  // from there on
//
// Of one to three versions, of which the last to appear is the new one.
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
// "nodes" are drawn from what was written of nodes and of the Pods on them:
//
//	{"title": "…",                               // optional
//	 "until": 420000000000,                      // where time ends
//	 "marks": [{"at": 60000000000, "says": "cable out"}],  // optional
//	 "writes": [                                 // in their order, of all kinds
//	   {"at": 3, "lease": "node-1"},             // the node renewed it
//	   {"at": 4, "node": "node-1",
//	    "ready": "True",      // False, Unknown, gone, or "": nobody has said
//	    "taints": ["node.kubernetes.io/unreachable:NoExecute"]},
//	   {"at": 5, "pod": "web-1",
//	    "on": "node-1",       // "": not yet
//	    "is": "created"}]}    // or running, ready, ending, gone
//
// A write that changes nothing here may be there. Where nothing changes for more
// than 80 seconds, heartbeats apart, time is left out.
//
// "owners" are drawn from objects that say whom they belong to:
//
//	{"title": "…",                               // optional
//	 "objects": [{"kind": "Pod", "name": "web-0",
//	   "uid": "4f2a09c1",       // or as much of it as tells them apart
//	   "note": "Running",       // optional; and so all that follows
//	   "owner": "8c1d77e0",     // the uid of an object above it
//	   "blocks": true,          // that its owner may not go before it
//	   "gone": 1}]}             // the how manieth to go
//
// "pointers" are drawn from a volume and a claim that are being bound:
//
//	{"title": "…",                               // optional
//	 "volume": "nfs", "claim": "data",           // their names
//	 "states": [{                                // 2 to 5: before, and after each write
//	   "wrote": ["claimRef"],                    // the fields; of the first: none
//	   "volume": {"phase": "Available", "to": "data"},  // to: whom it names, if anyone
//	   "claim": {"phase": "Pending"},
//	   "left": 3}]}                              // writes that are still to be made
//
// Each write changes the phase or the to of one of the two.
//
// A "decision" is drawn from how the scheduler found a node for a Pod:
//
//	{"title": "…",                               // optional
//	 "pod": "greedy",
//	 "filters": ["NodeName", "NodeResourcesFit"],  // as they are asked
//	 "scores": [{"name": "ImageLocality", "weight": 1}],
//	 "nodes": [                                  // 1 to 8, in order
//	   {"name": "node-1", "refused": {"filter": "NodeResourcesFit",
//	     "why": "Insufficient cpu"}},
//	   {"name": "node-2", "scores": [62], "sum": 62}],  // 0 to 100 each
//	 "chosen": "node-2"}      // "": nobody
//
// No node may have a larger sum than the chosen one. Where one alone is left,
// scores may be missing.
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
// In reading order:
//
//	figure.go     Render, the kinds, the wrapper around the two variants
//	style.go      the classes, and the style sheet that a page includes once
//	canvas.go     writing SVG elements
//	font.go       how wide a text will be
//	label.go      texts of several fonts, wrapped into lines
//	json.go       reading data strictly
//	run.go        a recorded run
//	route.go      which way an arrow goes between two steps
//	sheet.go      where lanes, steps and instants lie on the paper
//	path.go       kind "path": one event, from the store to the reconcile
//	pathwide.go   the same on a page, a column a lane
//	pathnarrow.go the same on a phone, as a list
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
//	outage.go     the data of nodes
//	register.go   the Pods among them, one after another of a name
//	patchwork.go  a scale of time that leaves out where nothing changes
//	moments.go    lines through all lanes, and their words
//	nodes.go      kind "nodes": a node's heartbeats, its taints, and its Pods
//	household.go  the data of owners
//	owners.go     kind "owners": a box an object, an arrow to its owner
//	binding.go    the data of pointers
//	pointers.go   kind "pointers": two boxes a write, and who names whom
//	verdict.go    the data of a decision
//	decision.go   kind "decision": a line a node, through filters, and its points
//	stations.go   the data of a map
//	map.go        kind "map": what is built, and what is to come
//	loop.go       a loop that closes on its aim
//	opengraph.go  the same as the picture that stands for the book elsewhere
package figure
