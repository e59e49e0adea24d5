package controlloop

import (
	"context"
	"sync"
	"time"
)

// Reconciler compares what is with what should be for one object, takes a
// step, and returns. It is told which object, not what happened to it.
//
// With nothing left to do it must write nothing. An error brings the key back
// later, so that the next call finds what this one left behind.
type Reconciler interface {
	Reconcile(ctx context.Context, key Key) (Result, error)
}

// Result says what a Reconcile that succeeded asks for.
type Result struct {
	After time.Duration // look again then; 0: when something changes
}

// Sooner returns the shorter of two waits, where 0 is none.
func Sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// Controller turns events into keys and keys into calls of a Reconciler. It
// goes in one of two ways: Run starts goroutines, Step does one key at a time.
type Controller struct {
	Name       string
	Reconciler Reconciler
	Workers    int // for Run
	Queue      RetryQueue[Key]

	// OnError, if set, is told of every error; the key is tried again anyway.
	OnError func(key Key, err error)

	informers []*Informer
	trace     Tracer
}

// NewController returns a controller with one worker that watches nothing yet.
func NewController(name string, r Reconciler) *Controller {
	return &Controller{
		Name: name, Reconciler: r, Workers: 1, Queue: NewRetryQueue[Key](),
	}
}

// Watch makes every event of the informer add the keys that it concerns: an
// object's own, its owner's, or whatever keys returns for it.
func (c *Controller) Watch(i *Informer, keys func(Object) []Key) {
	c.informers = append(c.informers, i)
	add := func(obj Object) {
		for _, key := range keys(obj) {
			c.trace.recordKey(c.Name+" queue", "added", key)
			c.Queue.Add(key)
		}
	}
	i.Handle(Handler{
		OnAdd:    add,
		OnUpdate: func(old, obj Object) { add(old); add(obj) },
		OnDelete: add,
	})
}

// Self returns obj's own key: the usual argument of Watch for the kind that a
// controller reconciles.
func Self(obj Object) []Key { return []Key{KeyOf(obj)} }

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

func (c *Controller) work(ctx context.Context) {
	for {
		key, ok := c.Queue.Get()
		if !ok {
			return
		}
		c.reconcile(ctx, key)
	}
}

// Step reconciles the i-th waiting key, and reports whether there was one.
func (c *Controller) Step(ctx context.Context, i int) bool {
	key, ok := c.Queue.TryGet(i)
	if ok {
		c.reconcile(context.WithValue(ctx, stepping{}, true), key)
	}
	return ok
}

// reconcile lets the Reconciler look at key, and decides when it looks again.
//
//book:exercise 1.7
func (c *Controller) reconcile(ctx context.Context, key Key) {
	defer c.Queue.Done(key)
	c.trace.recordKey(c.Name, "reconcile", key)
	result, err := c.Reconciler.Reconcile(ctx, key)
	if err != nil {
		c.Queue.AddRateLimited(key)
		c.report(key, err)
		return
	}
	c.Queue.Forget(key)
	if result.After > 0 {
		c.Queue.AddAfter(key, result.After)
	}
}

func (c *Controller) report(key Key, err error) {
	if c.OnError != nil {
		c.OnError(key, err)
	}
}
