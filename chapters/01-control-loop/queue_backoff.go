package controlloop

import (
	"sync"
	"time"
)

// Backoff says how long to wait before the next try of a key: base after its
// first failure, twice as long after each further one, never more than max.
type Backoff[K comparable] struct {
	base, max time.Duration

	mu       sync.Mutex
	failures map[K]int // since the last Forget; none: not in the map
}

// Next counts a failure of key and returns how long to wait.
//
//book:exercise 1h
func (b *Backoff[K]) Next(key K) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.base
	for range b.failures[key] {
		if wait >= b.max/2 {
			wait = b.max // and not 2*wait, which may overflow
			break
		}
		wait *= 2
	}
	b.failures[key]++
	return min(wait, b.max)
}

// Forget says that key has succeeded, or is gone: its next failure is its first.
//
//book:exercise 1h
func (b *Backoff[K]) Forget(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, key)
}
