package kubetest

import (
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
)

// lost takes one notification away, between a cache and a queue. The trace
// tells of each key just before it is added; at the next thing that happens,
// the key stands at the end of the queue, unless it waited already.
type lost struct {
	count, at int    // notifications so far; the one to lose, 0: none
	notified  string // the controller last told of the event that is handled

	controller *controlloop.Controller // whose queue is about to get a key
	length     int                     // of that queue before
	found      int                     // keys taken out
}

// LoseNotification loses the j-th notification: of an event in a cache, one
// controller does not hear. Controllers must step, not run.
func (c *Cluster) LoseNotification(j int) { c.lost.at = j }

// Notifications returns the number of notifications so far.
func (c *Cluster) Notifications() int { return c.lost.count }

// step gets every step of the trace.
func (l *lost) step(c *Cluster, s controlloop.Step) {
	l.removeKey()
	if s.Lane == "cache" {
		l.notified = ""
	}
	name, isQueue := strings.CutSuffix(s.Lane, " queue")
	controller, known := c.controllers[name] // not that of a node's mounts
	if !isQueue || !known {
		return
	}
	if l.notified != name {
		l.count++
		l.notified = name
	}
	if l.count == l.at {
		l.controller = controller
		l.length = l.controller.Queue.Len()
		c.told(name, "dropped", "an event is dropped: "+s.Key.String()+" does not come into the queue")
	}
}

// removeKey removes the key, if it was added.
func (l *lost) removeKey() {
	if l.controller == nil {
		return
	}
	if key, ok := l.controller.Queue.TryGet(l.length); ok {
		l.controller.Queue.Done(key)
		l.found++
	}
	l.controller = nil
}

// before returns a choose that picks from the keys that are left when the lost
// one is gone.
func (l *lost) before(choose func(int) int) func(int) int {
	return func(n int) int {
		found := l.found
		l.removeKey()
		if n -= l.found - found; n == 0 {
			return 0
		}
		return choose(n)
	}
}
