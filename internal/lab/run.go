package lab

import (
	"context"
	"sync"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// Run runs all controllers until ctx ends, and returns when the last of them
// has ended.
func (l *Lab) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { l.compaction.run(ctx) })
	l.mu.Lock()
	l.begin = func(s *controlloop.System) context.CancelFunc {
		ctx, end := context.WithCancel(ctx)
		running.Go(func() { s.Run(ctx) })
		return end
	}
	for _, n := range l.nodes {
		if n.system != nil {
			n.end = l.begin(n.system)
		}
	}
	for _, s := range l.revived {
		l.begin(s)
	}
	l.mu.Unlock()

	l.System.Run(ctx)
	l.mu.Lock()
	l.begin = nil
	l.mu.Unlock()
	running.Wait()
}

// Step takes a step of the lab's System or, where that has nothing to do, of the
// first machine's that has one: see controlloop.System.
func (l *Lab) Step(ctx context.Context, choose func(n int) int) (bool, error) {
	for _, s := range l.systems() {
		if more, err := s.Step(ctx, choose); more || err != nil {
			return more, err
		}
	}
	return false, nil
}

// NextDue returns when the next delayed key of any controller will be added, or the next
// late event will come.
func (l *Lab) NextDue() (next time.Time, any bool) {
	next, any = l.Look.NextDue()
	for _, s := range l.systems() {
		if due, ok := s.NextDue(); ok && (!any || due.Before(next)) {
			next, any = due, true
		}
	}
	return next, any
}

// systems returns the lab's System, then those of machines that have one.
func (l *Lab) systems() []*controlloop.System {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := append([]*controlloop.System{l.System}, l.revived...)
	for _, n := range l.nodes {
		if n.system != nil {
			all = append(all, n.system)
		}
	}
	return all
}
