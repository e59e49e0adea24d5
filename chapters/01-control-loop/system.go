package controlloop

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// System is a set of controllers over one client, and the informers that they
// share. It runs as a whole, or steps as a whole.
type System struct {
	Client Client
	Trace  Tracer
	Resync time.Duration // of every informer made from here on; 0: never
	// Recorder returns the recorder of a source's events; if it is nil, they
	// are not recorded.
	Recorder func(source corev1.EventSource) Recorder

	informers   []*Informer
	controllers []*Controller
}

// Informer returns the informer for what opts select of a kind: the same one to
// all callers that ask for the same.
func (s *System) Informer(
	kind schema.GroupVersionKind, opts ListOptions,
) *Informer {
	selected := opts.Selection()
	same := func(i *Informer) bool {
		r := i.reflector
		return r.kind == kind && r.opts.Selection() == selected
	}
	if at := slices.IndexFunc(s.informers, same); at >= 0 {
		return s.informers[at]
	}
	i := NewInformer(s.Client, kind, opts, s.Resync, s.Trace)
	s.informers = append(s.informers, i)
	return i
}

// Add makes a controller part of the system.
func (s *System) Add(c *Controller) {
	c.trace = s.Trace
	s.controllers = append(s.controllers, c)
}

// Run runs all informers and controllers until ctx ends, and returns when the
// last goroutine has.
func (s *System) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, i := range s.informers {
		running.Go(func() { i.Run(ctx) })
	}
	for _, c := range s.controllers {
		running.Go(func() { c.Run(ctx) })
	}
}

// Step brings every cache up to date, then lets one controller reconcile one
// key: of the n keys that wait, the one that choose picks. It reports whether
// any key waited. The same choices give the same run.
func (s *System) Step(ctx context.Context, choose func(n int) int) (bool, error) {
	for _, i := range s.informers {
		if _, err := i.Step(ctx); err != nil {
			return false, err
		}
	}
	waiting := 0
	for _, c := range s.controllers {
		waiting += c.Queue.Len()
	}
	if waiting == 0 {
		return false, nil
	}
	at := choose(waiting)
	for _, c := range s.controllers {
		if n := c.Queue.Len(); at >= n {
			at -= n
			continue
		}
		return c.Step(ctx, at), nil
	}
	return false, nil
}

// Remind reminds all handlers of all objects, as a resync does.
func (s *System) Remind() {
	for _, i := range s.informers {
		i.Resync()
	}
}

// Silent returns of which kind nothing has been heard for longest, and how long. A
// store that has nothing to tell says so each minute.
func (s *System) Silent() (kind schema.GroupVersionKind, longest time.Duration) {
	for _, i := range s.informers {
		if silent := i.reflector.silent(); silent > longest {
			kind, longest = i.reflector.kind, silent
		}
	}
	return kind, longest
}

// InOrder chooses the first key of the first controller that has one.
func InOrder(int) int { return 0 }

// NextDue returns when the next delayed key of any controller will be added.
func (s *System) NextDue() (next time.Time, any bool) {
	for _, c := range s.controllers {
		if due, ok := c.Queue.NextDue(); ok && (!any || due.Before(next)) {
			next, any = due, true
		}
	}
	return next, any
}
