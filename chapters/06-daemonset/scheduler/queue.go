package scheduler

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/heap"
)

// queue holds the Pods that wait for a node, in three places. (Kubernetes:
// pkg/scheduler/backend/queue.)
//
//	active  can be placed now: by importance, then by how long it has waited
//	backoff could be placed again, and has been tried in vain not long ago
//	parked  no node took it, and nothing has happened since that could help
type queue struct {
	active  *heap.Heap[*waiting]
	backoff *heap.Heap[*waiting] // by the end of their wait
	failing *heap.Heap[*waiting] // as backoff, after an error
	parked  map[types.UID]*waiting
	byCause map[string]map[types.UID]*waiting // parked, by what refused them

	all     map[types.UID]*waiting
	counter uint64
	flush   time.Time // before which none is parked for too long; zero: none is

	trying *waiting       // the Pod that is being scheduled
	missed []*cache.Event // since then
}

// waiting is a Pod that waits.
type waiting struct {
	*cache.PodInfo
	since time.Time // it was last put into the queue
	order uint64    // of those put into it at the same time

	failed, errors int       // times in a row
	due            time.Time // the end of its backoff
	refusedBy      []string  // names of filters; none: by none in particular
	told           string    // why no node takes it

	place heap.Place // in none: parked, or being scheduled
}

// Place implements heap.Item.
func (w *waiting) Place() *heap.Place { return &w.place }

func newQueue() *queue {
	return &queue{
		active:  heap.New(isBefore),
		backoff: heap.New(isDueBefore),
		failing: heap.New(isDueBefore),
		parked:  map[types.UID]*waiting{},
		byCause: map[string]map[types.UID]*waiting{},
		all:     map[types.UID]*waiting{},
	}
}

// isBefore orders those that can be placed now.
func isBefore(a, b *waiting) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	if !a.since.Equal(b.since) {
		return a.since.Before(b.since)
	}
	return a.order < b.order
}

func isDueBefore(a, b *waiting) bool {
	if !a.due.Equal(b.due) {
		return a.due.Before(b.due)
	}
	return isBefore(a, b)
}

// add puts a new Pod into the queue, or what has become of one that is there.
// It is scheduled again if it has changed in what a filter looks at.
func (q *queue) add(p *cache.PodInfo, changed bool) {
	w, ok := q.all[p.UID]
	if !ok {
		w = &waiting{}
		q.all[p.UID] = w
	}
	moved := ok && w.Priority != p.Priority
	w.PodInfo = p
	if !ok {
		q.stamp(w)
		q.push(q.active, w)
		return
	}
	if moved {
		heap.Fix(w)
	}
	if changed && q.trying == w {
		q.missed = append(q.missed, &cache.Event{Self: p.UID})
	} else if changed && q.isParked(w) {
		q.wake(w)
	}
}

// stamp puts a Pod behind those of its priority.
func (q *queue) stamp(w *waiting) {
	q.counter++
	w.since, w.order = time.Now(), q.counter
}

// remove drops a Pod that waits no more.
func (q *queue) remove(uid types.UID) {
	if w := q.all[uid]; w != nil {
		q.take(w)
		delete(q.all, uid)
	}
}

// take removes a Pod from its heap, from parked and from byCause.
func (q *queue) take(w *waiting) {
	heap.Remove(w)
	delete(q.parked, w.UID)
	for _, cause := range causes(w) {
		delete(q.byCause[cause], w.UID)
	}
}

func (q *queue) push(to *heap.Heap[*waiting], w *waiting) {
	q.take(w)
	to.Add(w)
}

func (q *queue) isParked(w *waiting) bool { return q.parked[w.UID] == w }

// next hands out the Pod to schedule next, or nil. If none can be placed now,
// one that only waits because it has been tried before need not. (Kubernetes:
// SchedulerPopFromBackoffQ.)
func (q *queue) next() *waiting {
	q.release()
	w := q.active.First()
	if w == nil {
		w = q.backoff.First()
	}
	q.trying, q.missed = w, nil
	if w != nil {
		q.take(w)
	}
	return w
}

// isReady reports whether next has one.
func (q *queue) isReady() bool {
	return q.active.First() != nil || q.backoff.First() != nil
}

// maxParked is how long a Pod is parked at most. Then it is tried again, should
// anything have happened that was not understood to help.
const maxParked = 5 * time.Minute

// release has the Pods go on that have waited for long enough.
func (q *queue) release() {
	now := time.Now()
	for _, h := range []*heap.Heap[*waiting]{q.backoff, q.failing} {
		for w := h.First(); w != nil && !w.due.After(now); w = h.First() {
			q.push(q.active, w)
		}
	}
	if q.flush.IsZero() || q.flush.After(now) {
		return
	}
	q.flush = time.Time{}
	for _, w := range slices.Collect(maps.Values(q.parked)) {
		if end := w.since.Add(maxParked); !end.After(now) {
			q.wake(w)
		} else if q.flush.IsZero() || end.Before(q.flush) {
			q.flush = end
		}
	}
}

// dueOf returns when the first of a heap is to be released; zero: none is.
func dueOf(h *heap.Heap[*waiting]) time.Time {
	if w := h.First(); w != nil {
		return w.due
	}
	return time.Time{}
}

// until returns how long it takes until something is to be released; 0: for
// ever.
func (q *queue) until() time.Duration {
	var first time.Time
	for _, at := range []time.Time{
		dueOf(q.backoff), dueOf(q.failing), q.flush,
	} {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() {
		return 0
	}
	return max(time.Until(first), 1)
}

// backoffFor returns how long a Pod waits that has been tried so many times.
func backoffFor(times int) time.Duration {
	wait := time.Second
	for range times - 1 {
		wait = min(2*wait, 10*time.Second)
	}
	return wait
}

// fail has the Pod wait whose cycle ended with an error.
func (q *queue) fail(w *waiting) {
	q.trying, q.missed = nil, nil
	if q.all[w.UID] != w {
		return
	}
	w.errors++
	q.stamp(w)
	w.due = w.since.Add(backoffFor(w.errors))
	q.push(q.failing, w)
}

// done ends the cycle of a Pod that waits no more.
func (q *queue) done(w *waiting) {
	q.trying, q.missed = nil, nil
	if q.all[w.UID] == w {
		q.remove(w.UID)
	}
}

// wake has a parked Pod go on, now or when its backoff is over.
func (q *queue) wake(w *waiting) {
	if w.due.After(time.Now()) {
		q.push(q.backoff, w)
	} else {
		q.push(q.active, w)
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
