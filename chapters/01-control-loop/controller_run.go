package controlloop

import (
	"context"
	"sync"
	"time"
)

// Run reconciles until ctx ends, and returns when the last worker has.
func (c *Controller) Run(ctx context.Context) {
	defer c.Queue.ShutDown()
	for _, i := range c.informers {
		select {
		case <-i.Synced():
		case <-ctx.Done():
			return
		}
	}
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() { c.work(ctx) })
	}
	<-ctx.Done()
	c.Queue.ShutDown()
	workers.Wait()
}

// Step reconciles the i-th waiting key, and reports whether there was one.
func (c *Controller) Step(ctx context.Context, i int) bool {
	key, ok := c.take(i)
	if ok {
		c.reconcile(context.WithValue(ctx, stepping{}, true), key)
	}
	return ok
}

func (c *Controller) work(ctx context.Context) {
	for c.Queue.Wait() {
		if key, ok := c.take(0); ok { // no other worker was quicker
			c.reconcile(ctx, key)
		}
	}
}

// add adds a key that an event concerns. No key is taken between what the trace is told
// and the queue: in a trace, what was added before a reconcile is what led to it.
func (c *Controller) add(key Key, event Object) {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.trace.recordQueued(c, key, event)
	c.Queue.Add(key)
}

// take takes the i-th waiting key.
func (c *Controller) take(i int) (key Key, ok bool) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if key, ok = c.Queue.TryGet(i); ok {
		c.trace.recordTaken(c, key)
	}
	return key, ok
}

// Sooner returns the shorter of two waits, where 0 is none.
func Sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// NewController returns a controller with one worker that watches nothing yet.
func NewController(name string, r Reconciler) *Controller {
	return &Controller{
		Name: name, Reconciler: r, Workers: 1, Queue: NewRetryQueue[Key](),
	}
}

// Self returns obj's own key: the usual argument of Watch for the kind that a
// controller reconciles.
func Self(obj Object) []Key { return []Key{KeyOf(obj)} }

func (c *Controller) report(key Key, err error) {
	if c.OnError != nil {
		c.OnError(key, err)
	}
}
