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

// NewBackoff returns a Backoff for which no key has failed yet.
func NewBackoff[K comparable](base, max time.Duration) *Backoff[K] {
	return &Backoff[K]{base: base, max: max, failures: map[K]int{}}
}

// Next counts a failure of key and returns how long to wait.
//
//book:exercise 1.7
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

// Failures returns how often key has failed since it was last forgotten.
func (b *Backoff[K]) Failures(key K) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures[key]
}

// Forget says that key has succeeded, or is gone: its next failure is its first.
//
//book:exercise 1.7
func (b *Backoff[K]) Forget(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, key)
}

// RetryQueue is a DelayQueue that knows how long a key that failed has to wait.
type RetryQueue[K comparable] struct {
	*DelayQueue[K]
	*Backoff[K]
}

// NewRetryQueue returns an empty queue with the delays of Kubernetes'
// controllers: 5 ms to 1,000 s (client-go, DefaultTypedControllerRateLimiter).
func NewRetryQueue[K comparable]() RetryQueue[K] {
	return RetryQueue[K]{
		NewDelayQueue[K](),
		NewBackoff[K](5*time.Millisecond, 1000*time.Second),
	}
}

// AddRateLimited adds key again after its backoff.
func (q RetryQueue[K]) AddRateLimited(key K) { q.AddAfter(key, q.Next(key)) }
