package scheduler

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// park puts aside the Pod that was being scheduled, until something happens that may
// help; which may have happened meanwhile.
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

// setAside has a Pod be found by the filters that refused it.
func (q *queue) setAside(w *waiting) {
	q.parked[w.UID] = w
	for _, cause := range causes(w) {
		if q.byCause[cause] == nil {
			q.byCause[cause] = map[types.UID]*waiting{}
		}
		q.byCause[cause][w.UID] = w
	}
	if q.flush.IsZero() {
		q.flush = w.since.Add(maxParked)
	}
}

// anyCause is the cause of the Pods that no filter in particular refused.
const anyCause = ""

func causes(w *waiting) []string {
	if len(w.refusedBy) == 0 {
		return []string{anyCause}
	}
	return w.refusedBy
}
