package events

import (
	"sync"
	"time"
)

// clock never returns the same time twice, for events are named by their time.
// In a test's bubble, where many happen in one instant, the later are a
// nanosecond apart.
type clock struct {
	mu   sync.Mutex
	last time.Time
}

// Now implements k8s.io/utils/clock.PassiveClock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !now.After(c.last) {
		now = c.last.Add(time.Nanosecond)
	}
	c.last = now
	return now
}

// Since implements k8s.io/utils/clock.PassiveClock.
func (c *clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
