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
	After time.Duration // requeue then; 0: when something changes
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
	telling   sync.Mutex // a key is added, or taken, and the trace told of it
}

// Watch makes every event of the informer add the keys that it concerns: an
// object's own, its owner's, or whatever keys returns for it.
func (c *Controller) Watch(i *Informer, keys func(Object) []Key) {
	c.informers = append(c.informers, i)
	add := func(obj, event Object) {
		for _, key := range keys(obj) {
			c.add(key, event)
		}
	}
	i.Handle(Handler{
		OnAdd:    func(obj Object) { add(obj, obj) },
		OnUpdate: func(old, obj Object) { add(old, obj); add(obj, obj) },
		OnDelete: func(obj Object) { add(obj, obj) },
	})
}

// reconcile calls the Reconciler for key, and decides when it is requeued.
//
//book:exercise 1h
func (c *Controller) reconcile(ctx context.Context, key Key) {
	defer c.Queue.Done(key)
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
