// Package trace makes the loops of a cluster visible: it records each write, each
// watch event, each key in a queue and each reconcile, with what led to what; and it
// holds loops, and breaks what they stand on, for somebody who looks on.
//
// In reading order: entry.go (what is recorded), recorder.go (who keeps it),
// steps.go, queue.go and loop.go (what loops do), state.go (what a loop does now), client.go
// and requests.go (who writes), is.go and has.go (an object in a few words), hold.go (loops
// that wait), break.go (what goes wrong on purpose), verbs.go (the words for both), record.go
// (a run that is over), serve.go (over HTTP), trace.go and slices.go (a file for Perfetto).
// What objects wait for is package why's.
package trace
