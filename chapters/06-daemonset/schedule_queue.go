package daemonset

import (
	"container/heap"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// queue holds the Pods that wait for a node, in three places. (Kubernetes:
// pkg/scheduler/backend/queue.)
//
//	active  can be placed now: the most important first, then who waits longest
//	backoff could be placed again, and has been tried in vain not long ago
//	parked  no node took it, and nothing has happened since that could help
type queue struct {
	active  line
	backoff line // by the end of their wait
	failing line // as backoff, after an error: nothing makes these wait less
	parked  map[types.UID]*waiting
	byCause map[string]map[types.UID]*waiting // parked, by who refused them

	all     map[types.UID]*waiting
	counter uint64
	flush   time.Time // before which none is parked for too long; zero: none is

	trying *waiting // whose turn it is
	missed []*event // since then
}

// waiting is a Pod that waits.
type waiting struct {
	*demand
	since time.Time // it was last put into the queue
	order uint64    // of those put into it at the same time

	failed, errors int       // times in a row
	due            time.Time // the end of its backoff
	refusedBy      []string  // names of filters; none: by none in particular
	told           string    // why no node takes it

	in *line // nil: parked, or its turn
	at int
}

func newQueue() *queue {
	return &queue{
		active:  line{less: isBefore},
		backoff: line{less: isDueBefore},
		failing: line{less: isDueBefore},
		parked:  map[types.UID]*waiting{},
		byCause: map[string]map[types.UID]*waiting{},
		all:     map[types.UID]*waiting{},
	}
}

// isBefore orders those that can be placed now.
func isBefore(a, b *waiting) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
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
// Its turn comes if it has changed in what a filter looks at.
func (q *queue) add(d *demand, changed bool) {
	w, ok := q.all[d.UID]
	if !ok {
		w = &waiting{}
		q.all[d.UID] = w
	}
	moved := ok && w.priority != d.priority && w.in != nil
	w.demand = d
	if !ok {
		q.stamp(w)
		q.push(&q.active, w)
		return
	}
	if moved {
		heap.Fix(w.in, w.at)
	}
	if changed && q.trying == w {
		q.missed = append(q.missed, &event{self: d.UID})
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

// take has a Pod be nowhere.
func (q *queue) take(w *waiting) {
	if w.in != nil {
		heap.Remove(w.in, w.at)
		w.in = nil
	}
	delete(q.parked, w.UID)
	for _, cause := range causes(w) {
		delete(q.byCause[cause], w.UID)
	}
}

func (q *queue) push(l *line, w *waiting) {
	q.take(w)
	w.in = l
	heap.Push(l, w)
}

func (q *queue) isParked(w *waiting) bool { return q.parked[w.UID] == w }

// next hands out the Pod whose turn it is, or nil. If none can be placed now, one
// that only waits because it has been tried before need not. (Kubernetes:
// SchedulerPopFromBackoffQ.)
func (q *queue) next() *waiting {
	q.release()
	w := q.active.first()
	if w == nil {
		w = q.backoff.first()
	}
	q.trying, q.missed = w, nil
	if w != nil {
		q.take(w)
	}
	return w
}

// isReady reports whether next has one.
func (q *queue) isReady() bool {
	return q.active.first() != nil || q.backoff.first() != nil
}

// maxParked is how long a Pod is parked at most. Then it is tried again, should
// anything have happened that was not understood to help.
const maxParked = 5 * time.Minute

// release has those go on whose wait is over.
func (q *queue) release() {
	now := time.Now()
	for _, l := range []*line{&q.backoff, &q.failing} {
		for w := l.first(); w != nil && !w.due.After(now); w = l.first() {
			q.push(&q.active, w)
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

// until is how long it takes until something is to be released; 0: for ever.
func (q *queue) until() time.Duration {
	var first time.Time
	for _, at := range []time.Time{
		q.backoff.due(), q.failing.due(), q.flush,
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

// backoffFor is how long a Pod waits that has been tried so many times.
func backoffFor(times int) time.Duration {
	wait := time.Second
	for range times - 1 {
		wait = min(2*wait, 10*time.Second)
	}
	return wait
}

// park puts aside the Pod whose turn it was, until something happens that may
// help; which may have happened meanwhile.
func (q *queue) park(
	w *waiting, refusedBy []string, helps func(*waiting, *event) bool,
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
	if slices.ContainsFunc(missed, func(e *event) bool {
		return e.self == w.UID || helps(w, e)
	}) {
		q.wake(w)
	}
}

// setAside has a Pod be found by those who refused it.
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

// fail has the Pod wait whose turn ended with an error.
func (q *queue) fail(w *waiting) {
	q.trying, q.missed = nil, nil
	if q.all[w.UID] != w {
		return
	}
	w.errors++
	q.stamp(w)
	w.due = w.since.Add(backoffFor(w.errors))
	q.push(&q.failing, w)
}

// done ends the turn of a Pod that waits no more.
func (q *queue) done(w *waiting) {
	q.trying, q.missed = nil, nil
	if q.all[w.UID] == w {
		q.remove(w.UID)
	}
}

// anyCause is the cause of those that were refused by none in particular.
const anyCause = ""

func causes(w *waiting) []string {
	if len(w.refusedBy) == 0 {
		return []string{anyCause}
	}
	return w.refusedBy
}

// wake has a parked Pod go on, now or when its backoff is over.
func (q *queue) wake(w *waiting) {
	if w.due.After(time.Now()) {
		q.push(&q.backoff, w)
	} else {
		q.push(&q.active, w)
	}
}
