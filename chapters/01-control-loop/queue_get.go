package controlloop

// Get waits for a key. It returns false when the queue is closed and empty.
func (q *Queue[K]) Get() (key K, ok bool) {
	for !ok && q.Wait() {
		key, ok = q.TryGet(0)
	}
	return key, ok
}

// Wait waits until there is a key to take, for whoever is the first. It returns false
// when the queue is closed and empty.
func (q *Queue[K]) Wait() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 && !q.closed {
		q.cond.Wait()
	}
	return len(q.queue) > 0
}

// Has reports whether key needs work already: to add it would change nothing.
func (q *Queue[K]) Has(key K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dirty[key]
}

// TryGet takes the i-th waiting key, or returns false when there are fewer.
func (q *Queue[K]) TryGet(i int) (key K, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i >= len(q.queue) {
		return key, false
	}
	return q.take(i), true
}

// Len returns the number of keys that wait.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// ShutDown closes the queue: it takes no more keys, hands out those it has, and
// then tells its workers to go.
func (q *Queue[K]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}
