package trace

import (
	"slices"
	"strings"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// hold says what a loop does with the keys of its queue.
type hold string

const (
	free   hold = ""
	paused hold = "paused" // it takes none
	slow   hold = "slow"   // a second for each
)

// holds reports whether a key is not to be reconciled: the loop is paused, or crashed,
// or the event that brought the key was dropped. A key that is held waits here: no
// worker waits with it, and no time.
func (l *loop) holds(key controlloop.Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.dead.Load():
		return true
	case l.lost[key] > 0:
		delete(l.lost, key)
		delete(l.taken, key)
		return true
	case l.hold != paused:
		return false
	case l.let[key]:
		delete(l.let, key)
		return false
	}
	if !slices.Contains(l.keys, key) {
		l.keys = append(l.keys, key)
	}
	if n := l.taken[key]; n == nil || n.first == 0 { // nothing told of it: a timer
		l.taken[key] = &note{first: l.add(Entry{Do: Key, Lane: l.controller.Name, Key: nameOf(key), Cause: l.again[key]})}
	}
	return true
}

func (l *loop) isSlow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hold == slow
}

// keep sets what a loop does with its keys. r.mu is held.
func (l *loop) keep(to hold) {
	switch {
	case l.hold == free && to != free:
		l.armed.Add(1)
	case l.hold != free && to == free:
		l.armed.Add(-1)
	}
	if l.hold != to {
		l.since = time.Now()
	}
	l.hold = to
}

// setHold sets what a loop does with its keys, and puts the held ones back into
// its queue.
func (r *Recorder) setHold(l *loop, to hold, verb, text string) {
	r.mu.Lock()
	l.keep(to)
	var keys []controlloop.Key
	if to != paused {
		keys, l.keys = l.keys, nil
		clear(l.let)
	}
	r.acted(l.controller.Name, verb, text)
	r.mu.Unlock()
	for _, key := range keys {
		l.controller.Queue.Add(key)
	}
}

// setHolds does that for all loops, and for later ones. Heartbeats go on, because
// otherwise the loops that watch machines would find them dead, and evict their Pods.
func (r *Recorder) setHolds(to hold, verb, text string) {
	r.mu.Lock()
	r.held = to
	var all []*loop
	for _, name := range r.order {
		if to == free || !isHeartbeat(name) {
			all = append(all, r.loops[name])
		}
	}
	r.mu.Unlock()
	for _, l := range all {
		r.setHold(l, to, verb, text)
	}
}

func isHeartbeat(name string) bool { return strings.HasPrefix(name, "heartbeat ") }

// step lets one key of a paused loop through, the first, and returns it.
func (r *Recorder) step(l *loop) (controlloop.Key, error) {
	r.mu.Lock()
	name := l.controller.Name
	var key controlloop.Key
	switch {
	case l.hold != paused:
		r.mu.Unlock()
		return key, refusedf("%s isn't paused: pause it, then step", name)
	case len(l.keys) == 0:
		r.mu.Unlock()
		return key, refusedf("%s has nothing to do: no key waits in its queue", name)
	}
	key, l.keys = l.keys[0], l.keys[1:]
	l.let[key] = true
	r.acted(name, "step", "steps: "+nameOf(key))
	r.mu.Unlock()
	l.controller.Queue.Add(key)
	return key, nil
}
