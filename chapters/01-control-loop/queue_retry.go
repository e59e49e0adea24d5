package controlloop

import (
	"time"
)

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

// NewBackoff returns a Backoff for which no key has failed yet.
func NewBackoff[K comparable](base, max time.Duration) *Backoff[K] {
	return &Backoff[K]{base: base, max: max, failures: map[K]int{}}
}

// Failures returns how often key has failed since it was last forgotten.
func (b *Backoff[K]) Failures(key K) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures[key]
}
