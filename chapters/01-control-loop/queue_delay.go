package controlloop

import (
	"container/heap"
	"sync"
	"time"
)

// DelayQueue is a Queue to which a key can be added later.
type DelayQueue[K comparable] struct {
	*Queue[K]

	mu      sync.Mutex
	waiting delays[K]         // a heap: the entry that is due first is first
	entries map[K]*delayed[K] // the same, by key; nil: closed
	added   uint64            // counts entries, to order those due together
	timer   *time.Timer       // fires when the first is due; nil: never yet
}

type delayed[K comparable] struct {
	key   K
	due   time.Time
	added uint64
	index int // in the heap
}

// NewDelayQueue returns an empty queue.
func NewDelayQueue[K comparable]() *DelayQueue[K] {
	return &DelayQueue[K]{
		Queue:   NewQueue[K](),
		entries: map[K]*delayed[K]{},
	}
}

// AddAfter adds key when d has passed. A key that waits already is added at the
// earlier of the two times: reconciling too early does no harm.
func (q *DelayQueue[K]) AddAfter(key K, d time.Duration) {
	if d <= 0 {
		q.Add(key)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.entries == nil {
		return
	}
	due := time.Now().Add(d)
	e, waits := q.entries[key]
	switch {
	case !waits:
		q.added++
		e = &delayed[K]{key: key, due: due, added: q.added}
		q.entries[key] = e
		heap.Push(&q.waiting, e)
	case due.Before(e.due):
		e.due = due
		heap.Fix(&q.waiting, e.index)
	}
	q.arm()
}

// arm sets the timer for the first entry. q.mu is held.
func (q *DelayQueue[K]) arm() {
	if len(q.waiting) == 0 {
		return
	}
	wait := time.Until(q.waiting[0].due)
	if q.timer == nil {
		q.timer = time.AfterFunc(wait, q.release)
	} else {
		q.timer.Reset(wait)
	}
}

// release adds every key that is due.
func (q *DelayQueue[K]) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 && !q.waiting[0].due.After(time.Now()) {
		e := heap.Pop(&q.waiting).(*delayed[K])
		delete(q.entries, e.key)
		q.Add(e.key)
	}
	q.arm()
}

// NextDue returns when the next delayed key will be added, if there is one.
func (q *DelayQueue[K]) NextDue() (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return time.Time{}, false
	}
	return q.waiting[0].due, true
}

// ShutDown closes the queue. Keys that are still waiting are dropped.
func (q *DelayQueue[K]) ShutDown() {
	q.mu.Lock()
	if q.timer != nil {
		q.timer.Stop()
	}
	q.waiting, q.entries = nil, nil
	q.mu.Unlock()
	q.Queue.ShutDown()
}

// delays implements heap.Interface.
type delays[K comparable] []*delayed[K]

func (d delays[K]) Len() int { return len(d) }

func (d delays[K]) Less(i, j int) bool {
	if d[i].due.Equal(d[j].due) {
		return d[i].added < d[j].added
	}
	return d[i].due.Before(d[j].due)
}

func (d delays[K]) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

func (d *delays[K]) Push(e any) {
	e.(*delayed[K]).index = len(*d)
	*d = append(*d, e.(*delayed[K]))
}

func (d *delays[K]) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	*d = (*d)[:last]
	return e
}
