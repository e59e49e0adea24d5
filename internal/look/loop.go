package look

import (
	"context"
	"errors"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// loop is a controller that is looked at: it stands between it and its Reconciler.
// The recorder's lock guards what changes.
type loop struct {
	*Recorder
	controller *controlloop.Controller
	next       controlloop.Reconciler

	waiting map[controlloop.Key]int // keys in the queue, each with the entry of the latest
	again   map[controlloop.Key]int // keys that come back, with the end that said so
	wrote   map[int]int             // writes of runs that have not ended

	hold  hold
	keys  []controlloop.Key        // that are held, in order
	let   map[controlloop.Key]bool // through, though the loop is held
	fault map[fault]bool           // that are armed
	lost  map[controlloop.Key]bool // whose event was dropped
	dead  bool                     // it has crashed
}

// runKey is the key of a run in the context of what it does.
type runKey struct{}

// run is a reconcile under way.
type run struct {
	*loop
	n int // its entry; 0: nothing is recorded
}

// Loop has a controller looked at from now on. One that has the name of another takes
// its place.
func (r *Recorder) Loop(c *controlloop.Controller) {
	l := &loop{
		Recorder: r, controller: c, next: c.Reconciler,
		waiting: map[controlloop.Key]int{}, again: map[controlloop.Key]int{}, wrote: map[int]int{},
		let: map[controlloop.Key]bool{}, fault: map[fault]bool{}, lost: map[controlloop.Key]bool{},
	}
	c.Reconciler = l
	r.mu.Lock()
	defer r.mu.Unlock()
	if !isHeartbeat(c.Name) {
		l.hold = r.held
	}
	if r.loops[c.Name] == nil {
		r.order = append(r.order, c.Name)
		if r.on.Load() {
			r.add(Entry{Do: Lane, Lane: c.Name, Hold: string(l.hold)})
		}
	} else if r.loops[c.Name].dead && r.on.Load() {
		r.acted(c.Name, "restart", "started again, with an empty cache and an empty memory")
	}
	r.loops[c.Name] = l
}

// Reconcile implements controlloop.Reconciler.
func (l *loop) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if l.holds(key) {
		return controlloop.Result{}, nil
	}
	if l.isSlow() {
		controlloop.Sleep(ctx, slowness)
	}
	n := l.begin(key)
	result, err := l.next.Reconcile(context.WithValue(ctx, runKey{}, run{l, n}), key)
	if l.hasCrashed() {
		err = errCrashed
	}
	l.end(n, key, result, err)
	return result, err
}

// begin notes that a reconcile begins.
func (l *loop) begin(key controlloop.Key) int {
	if !l.on.Load() {
		return 0
	}
	g := Goroutine()
	l.mu.Lock()
	defer l.mu.Unlock()
	why, heard := l.waiting[key]
	if !heard {
		why = l.again[key]
	}
	delete(l.waiting, key)
	delete(l.again, key)
	n := l.add(Entry{Do: Run, Lane: l.controller.Name, Key: nameOf(key), Cause: why})
	l.wrote[n] = 0
	l.doing[g] = cause{l.controller.Name, n, n}
	delete(l.hearing, g) // a caller that steps is done with telling handlers
	return n
}

// end notes how it has ended, and starts a loop that has crashed anew.
func (l *loop) end(n int, key controlloop.Key, result controlloop.Result, err error) {
	g := Goroutine()
	l.mu.Lock()
	if n > 0 && l.on.Load() {
		e := Entry{Do: End, Lane: l.controller.Name, Key: nameOf(key), Run: n, Cause: n, Wrote: l.wrote[n]}
		if e.After = result.After.Microseconds(); err != nil {
			e.Err = err.Error()
		}
		at := l.add(e)
		if err != nil || result.After > 0 {
			l.again[key] = at
		}
	}
	delete(l.wrote, n)
	delete(l.doing, g)
	restarts := errors.Is(err, errCrashed) && l.loops[l.controller.Name] == l
	l.mu.Unlock()
	if restarts {
		l.Restart(l.controller.Name)
	}
}

// slowness is how long a slow loop waits before each step.
const slowness = time.Second

func (l *loop) hasCrashed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}
