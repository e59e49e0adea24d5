package trace

import (
	"slices"

	controlloop "reconcile/chapters/01-control-loop"
)

// note is what is known of a key that waits for its run.
type note struct {
	first int  // the entry that put it into the queue; 0: none did, but a timer or a container
	last  int  // what was heard last that concerns it
	event bool // nothing but an Event has brought it
}

// there is the verb of a key that is in the queue already, so that its run doesn't need
// this event; and of a run whose key is in the queue again.
const there = "there"

// queued notes that an event is about to put a key into a queue: the key of an object
// as it was, or as it is. Later events find the key there already.
func (l *loop) queued(key controlloop.Key, version uint64, isThere bool) {
	n, why := l.waiting[key], l.heard[version]
	waits := slices.Contains(l.keys, key) || isThere && l.lost[key] == 0 && (n == nil || !n.event)
	switch {
	case why == ofEvent && !waits:
		l.waiting[key] = &note{event: true}
		return
	case why == ofEvent, l.dropped(key, why, waits):
		return
	}
	delete(l.missed, key)
	if e, kept := l.entry(why); kept {
		l.kinds[e.Kind] = true
	}
	if waits && n != nil && n.last == why {
		return // an object as it was and as it is bring the same key
	}
	if !waits || n == nil {
		n = &note{}
		l.waiting[key] = n
	}
	n.last = why
	e := Entry{Do: Key, Lane: l.controller.Name, Key: nameOf(key), Cause: why}
	if waits {
		e.Verb = there
		l.add(e)
	} else {
		n.first = l.add(e)
	}
}

// took notes that a worker takes a key. Its note belongs to the run, and later events
// to the next run. A key that was held was taken before.
func (l *loop) took(key controlloop.Key) {
	if n := l.waiting[key]; n != nil && l.taken[key] == nil {
		l.taken[key] = n
	}
	delete(l.waiting, key)
}
