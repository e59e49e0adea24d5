package trace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// loop is a recorded controller. It stands between the controller and its
// Reconciler. The recorder's lock guards what changes.
type loop struct {
	*Recorder
	controller *controlloop.Controller
	next       controlloop.Reconciler

	waiting map[controlloop.Key]*note // keys in the queue
	taken   map[controlloop.Key]*note // keys that workers have, and that are held
	again   map[controlloop.Key]int   // keys that come back, with the end that said so
	runs    []*run                    // that have not ended

	hold     hold
	keys     []controlloop.Key        // that are held, in order
	let      map[controlloop.Key]bool // through, though the loop is held
	fault    map[fault]bool           // that are armed
	lost     map[controlloop.Key]int  // whose event was dropped: that it was heard of
	dead     atomic.Bool              // it has crashed
	gone     bool                     // likewise, and nothing starts it again
	crashing *run                     // the run whose write under way is the loop's last; nil: none
	anew     bool                     // another is about to take its place

	since   time.Time                             // that it goes the way it does
	kinds   map[string]bool                       // of the objects whose events brought it keys
	missed  map[controlloop.Key]bool              // whose latest event was dropped
	back    map[controlloop.Key]Return            // keys that come back by themselves
	backoff *controlloop.Backoff[controlloop.Key] // as the queue's
}

// runKey is the key of a run in the context of what it does.
type runKey struct{}

// run is a reconcile under way.
type run struct {
	*loop
	n       int // its entry; 0: nothing is recorded
	key     string
	wrote   int // objects
	decided int // the entry of the scheduler's decision
}

// cause returns what leads to the run's writes.
func (r *run) cause() cause {
	if r.decided > 0 {
		return cause{lane: r.controller.Name, n: r.decided, run: r}
	}
	return cause{lane: r.controller.Name, n: r.n, run: r}
}

// Loop has a controller looked at from now on. One that has the name of another takes
// its place.
func (r *Recorder) Loop(c *controlloop.Controller) {
	l := &loop{
		Recorder: r, controller: c, next: c.Reconciler,
		let: map[controlloop.Key]bool{}, fault: map[fault]bool{}, lost: map[controlloop.Key]int{},
		kinds:   map[string]bool{},
		backoff: controlloop.NewBackoff[controlloop.Key](5*time.Millisecond, 1000*time.Second),
	}
	c.Reconciler = l
	r.mu.Lock()
	defer r.mu.Unlock()
	l.forget()
	if !isHeartbeat(c.Name) {
		l.keep(r.held)
	}
	old, had := r.loops[c.Name]
	if had {
		l.keep(old.hold)
		old.keep(free)
		r.armed.Add(-int32(len(old.fault)))
	}
	r.loops[c.Name] = l
	switch {
	case !had:
		r.order = append(r.order, c.Name)
		r.add(Entry{Do: Lane, Lane: c.Name, Hold: string(l.hold)})
	case old.dead.Load():
		r.acted(c.Name, "restart", "started again, with an empty cache and an empty memory")
	}
}

// forget has a loop know nothing of its keys. r.mu is held.
func (l *loop) forget() {
	l.waiting, l.taken = map[controlloop.Key]*note{}, map[controlloop.Key]*note{}
	l.again, l.runs = map[controlloop.Key]int{}, nil
	l.missed, l.back = map[controlloop.Key]bool{}, map[controlloop.Key]Return{}
}

// Reconcile implements controlloop.Reconciler.
func (l *loop) Reconcile(
	ctx context.Context, key controlloop.Key,
) (result controlloop.Result, err error) {
	if l.Quiet() && !l.dead.Load() {
		return l.next.Reconcile(ctx, key)
	}
	if l.holds(key) {
		return controlloop.Result{}, nil
	}
	if l.isSlow() {
		controlloop.Sleep(ctx, slowness)
	}
	run := l.beginRun(key)
	err = errPanicked
	defer func() { err = l.end(run, key, result, err) }()
	return l.next.Reconcile(context.WithValue(ctx, runKey{}, run), key)
}

// errPanicked is how a reconcile ends that never returns.
var errPanicked = errors.New("it did not return: it panicked")

// slowness is how long a slow loop waits before each step.
const slowness = time.Second

// beginRun notes that a reconcile begins.
func (l *loop) beginRun(key controlloop.Key) *run {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.taken[key]
	if n == nil {
		n = &note{}
	}
	why := cmp.Or(n.first, l.again[key])
	delete(l.taken, key)
	delete(l.again, key)
	delete(l.missed, key)
	delete(l.back, key)
	run := &run{loop: l, key: nameOf(key)}
	l.runs = append(l.runs, run)
	if n.event && why == 0 {
		return run
	}
	e := Entry{Do: Run, Lane: l.controller.Name, Key: run.key, Cause: why}
	if next := l.waiting[key]; next != nil && !next.event {
		e.Verb = there
	}
	run.n = l.add(e)
	return run
}

// end notes how a reconcile has ended, and restarts a loop that has crashed. It
// returns the error with which the reconcile ends.
func (l *loop) end(r *run, key controlloop.Key, result controlloop.Result, err error) error {
	l.mu.Lock()
	crashed := l.dead.Load()
	if crashed {
		err = errCrashed
	}
	e := Entry{
		Do: End, Lane: l.controller.Name, Key: r.key, Run: r.n, Cause: r.n,
		Wrote: r.wrote, After: result.After.Microseconds(),
	}
	if err != nil {
		e.Err = err.Error()
	}
	l.returns(key, result, err)
	if r.n > 0 {
		if at := l.add(e); err != nil || result.After > 0 {
			l.again[key] = at
		}
	}
	l.runs = slices.DeleteFunc(l.runs, func(other *run) bool { return other == r })
	// The last of the workers restarts it, when none of them has anything more
	// to say.
	restarts := crashed && len(l.runs) == 0 && !l.anew && l.loops[l.controller.Name] == l
	l.anew = l.anew || restarts
	l.mu.Unlock()
	if restarts {
		l.Restart(l.controller.Name)
	}
	return err
}
