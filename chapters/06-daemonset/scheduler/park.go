package scheduler

import (
	"slices"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// park parks the Pod whose cycle has ended, until an event may help it. One that
// has happened during the cycle wakes it at once.
func (q *queue) park(
	w *waiting, refusedBy []string, helps func(*waiting, *cache.Event) bool,
) {
	if q.all[w.UID] != w {
		return // it is gone
	}
	w.failed, w.errors = w.failed+1, 0
	w.refusedBy = refusedBy
	q.stamp(w)
	w.due = w.since.Add(backoffFor(w.failed))
	q.setAside(w)
	missed := q.missed
	q.trying, q.missed = nil, nil
	if slices.ContainsFunc(missed, func(e *cache.Event) bool {
		return e.Self == w.UID || helps(w, e)
	}) {
		q.wake(w)
	}
}
