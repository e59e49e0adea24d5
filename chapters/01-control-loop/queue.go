package controlloop

import "sync"

// Queue hands keys to workers. A key that is added many times before a worker
// takes it is handed out once. A key that is added while a worker has it waits
// until that worker is done, and is then handed out again: so no two workers
// ever have the same key, and no change goes unnoticed.
type Queue[K comparable] struct {
	mu   sync.Mutex
	cond *sync.Cond // something below changed

	queue      []K        // in order; each is in dirty and not in processing
	dirty      map[K]bool // needs work
	processing map[K]bool // a worker has it

	closed bool
}

// NewQueue returns an empty queue.
func NewQueue[K comparable]() *Queue[K] {
	q := &Queue[K]{dirty: map[K]bool{}, processing: map[K]bool{}}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Add says that key needs work. A closed queue takes no more.
//
//book:exercise 1g
func (q *Queue[K]) Add(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.dirty[key] {
		return
	}
	q.dirty[key] = true
	if q.processing[key] {
		return // Done will queue it
	}
	q.queue = append(q.queue, key)
	q.cond.Broadcast()
}

// take hands out the i-th key of the queue. q.mu is held.
//
//book:exercise 1g
func (q *Queue[K]) take(i int) K {
	key := q.queue[i]
	copy(q.queue[1:], q.queue[:i]) // those before it, not the many behind it
	q.queue = q.queue[1:]
	delete(q.dirty, key)
	q.processing[key] = true
	return key
}

// Done says that the worker that was handed key is done with it, whether it
// went well or not.
//
//book:exercise 1g
func (q *Queue[K]) Done(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.processing, key)
	if q.dirty[key] {
		q.queue = append(q.queue, key)
	}
	q.cond.Broadcast()
}
