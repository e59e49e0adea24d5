package controlloop

import (
	"context"
	"sync"
)

// SideBySide calls f with 0 to n-1, each call in a goroutine of its own. It
// returns when all have, with the first error. Within a Step the calls are made
// in this order, one after the other: the same choices give the same run.
func SideBySide(ctx context.Context, n int, f func(i int) error) (first error) {
	errs := make(chan error, n)
	var running sync.WaitGroup
	for i := range n {
		if ctx.Value(stepping{}) != nil {
			errs <- f(i)
		} else {
			running.Go(func() { errs <- f(i) })
		}
	}
	running.Wait()
	for range n {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}

// stepping marks the context of a Reconcile that Step calls.
type stepping struct{}
