package trace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// fault is something that strikes a loop once.
type fault int

const (
	dropEvent  fault = iota // the next event does not reach its queue
	conflicts               // its next update is refused
	loseAnswer              // its next write is made, and it hears of a time-out
	crashAfter              // it ends after its next write
)

var errCrashed = errors.New("the controller has crashed")

// arm makes a fault wait for a loop. r.mu is held, here and below.
func (r *Recorder) arm(l *loop, f fault) {
	if !l.fault[f] {
		l.fault[f] = true
		r.armed.Add(1)
	}
}

// strikes reports whether a fault waits for a loop, and takes it away.
func (l *loop) strikes(f fault) bool {
	if !l.fault[f] {
		return false
	}
	delete(l.fault, f)
	l.armed.Add(-1)
	return true
}

// dropped reports whether the event that brings a key is lost on its way to the queue.
// If the key is in the queue already, the fault waits for another event, since losing
// this one would change nothing. heard is the entry of the event, which may bring a key
// twice: for an object as it was, and as it is.
func (l *loop) dropped(key controlloop.Key, heard int, waits bool) bool {
	if heard > 0 && l.lost[key] == heard {
		return true
	}
	if waits || !l.strikes(dropEvent) {
		delete(l.lost, key) // another event brings it
		return false
	}
	l.lost[key], l.missed[key] = heard, true
	l.acted(l.controller.Name, "dropped", "an event is dropped: "+nameOf(key)+" is not in the queue")
	return true
}

// ofFaults are the verbs of the acts by which faults wait and strike.
var ofFaults = []string{"drop", "dropped", "conflict", "conflicted", "lose", "lost", "doomed", "crashed"}

// Faults says which faults have begun to wait for a loop after the n-th entry, and which
// have struck one: "deployment: the answer to its next write will be lost".
func (r *Recorder) Faults(n int) (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.since(n) {
		if e.Do == Act && slices.Contains(ofFaults, e.Verb) && (e.Lane != "" || e.Verb != "drop") {
			all = append(all, strings.TrimPrefix(e.Lane+": "+e.Text, ": "))
		}
	}
	return all
}

// acted notes what somebody did, or what came of it.
func (r *Recorder) acted(lane, verb, text string) {
	e := Entry{Do: Act, Lane: lane, Verb: verb, Text: text}
	if l := r.loops[lane]; l != nil {
		e.Hold = string(l.hold)
	}
	r.add(e)
}

// refuses returns the error of a write that is not made: the loop has crashed, or is
// about to after another worker's write, or meets with a conflict.
func (r *run) refuses(verb string, kind controlloop.Kind, key controlloop.Key) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loop
	if l.dead.Load() || l.crashing != nil && l.crashing != r {
		return errCrashed
	}
	if verb == "update" && l.strikes(conflicts) {
		l.acted(l.controller.Name, "conflicted", "refused, a conflict: "+kind.Kind+" "+nameOf(key))
		return apierrors.NewConflict(schema.GroupResource{Group: kind.Group, Resource: kind.Resource}, key.Name, errors.New(
			"the object has been modified; please apply your changes to the latest version and try again"))
	}
	if l.fault[crashAfter] {
		l.crashing = r
	}
	return nil
}

// isOfTheDead reports whether an Event comes from a loop that has crashed.
func (r *Recorder) isOfTheDead(e *corev1.Event) bool {
	if r.Quiet() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.source(e)
	return l != nil && (l.dead.Load() || l.crashing != nil)
}

// hasWritten is called when a write that was not refused has ended. It returns what the
// loop hears of that.
func (r *run) hasWritten(kind controlloop.Kind, key controlloop.Key, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loop
	crashing := l.crashing == r
	if crashing {
		l.crashing = nil
	}
	switch {
	case err != nil:
	case crashing && l.strikes(crashAfter):
		l.dead.Store(true)
		l.acted(l.controller.Name, "crashed", "crashed after its write")
	case l.strikes(loseAnswer):
		l.acted(l.controller.Name, "lost", "written, and the answer is lost: "+kind.Kind+" "+nameOf(key))
		return apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0) // Kubernetes' words
	}
	return err
}

// lateness is how much later the events of a kind reach caches.
type lateness struct {
	by    time.Duration
	until context.Context // ends when another takes its place
	over  context.CancelFunc
}

// delay has events of a kind come later by so much.
func (r *Recorder) delay(kind string, by time.Duration) {
	old, had := r.late[kind]
	delete(r.late, kind)
	if had {
		r.armed.Add(-1)
		old.over()
	}
	if by > 0 {
		next := lateness{by: by}
		next.until, next.over = context.WithCancel(context.Background())
		r.late[kind] = next
		r.armed.Add(1)
	}
}

// lateWatch is a watch whose events may come late.
type lateWatch struct {
	controlloop.Watch
	*Recorder
	kind string

	held *watch.Event // by TryNext
	due  time.Time    // when it comes
}

// Next implements controlloop.Watch.
func (w *lateWatch) Next(ctx context.Context) (watch.Event, error) {
	event, err := w.Watch.Next(ctx)
	if err != nil || w.armed.Load() == 0 {
		return event, err
	}
	if late, wait := w.wait(event); wait > 0 {
		select {
		case <-late.until.Done():
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return event, nil
}

// TryNext implements controlloop.Watch. Whoever takes steps doesn't wait: an event that is
// late is held until it is due.
func (w *lateWatch) TryNext() (watch.Event, bool, error) {
	if w.held == nil {
		event, ok, err := w.Watch.TryNext()
		if !ok || err != nil || w.armed.Load() == 0 {
			return event, ok, err
		}
		_, wait := w.wait(event)
		w.held, w.due = &event, time.Now().Add(wait)
	}
	if w.Late(w.kind) > 0 && time.Now().Before(w.due) {
		w.holds(w.due)
		return watch.Event{}, false, nil
	}
	event := *w.held
	w.held = nil
	return event, true, nil
}

// wait returns how much later than now an event comes.
func (w *lateWatch) wait(event watch.Event) (late lateness, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if late = w.late[w.kind]; late.by > 0 {
		wait = late.by
		version := versionOf(event.Object.(controlloop.Object))
		if write, ok := w.entry(w.writes[version]); ok {
			wait -= time.Since(time.UnixMicro(write.At))
		}
	}
	return late, wait
}

// holds notes when an event that is held is due.
func (r *Recorder) holds(due time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due.After(time.Now()) || due.Before(r.due) {
		r.due = due
	}
}

// NextDue returns when the next event that is held is due, and whether there is one.
func (r *Recorder) NextDue() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.due, r.due.After(time.Now())
}
