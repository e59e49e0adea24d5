package controlloop

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Reflector copies what happens to one kind in the store into a DeltaFIFO: it
// lists once, then watches from the version of the list. A watch that ends is
// resumed where it was. Only when that is refused, or a watch falls silent, does the
// reflector list again.
type Reflector struct {
	client Client
	kind   schema.GroupVersionKind
	opts   ListOptions
	fifo   *DeltaFIFO
	trace  Tracer

	watch   Watch  // nil: not connected
	version string // everything up to here is in the fifo; "": nothing is

	mu    sync.Mutex
	heard time.Time // when a watch was opened, or said something last
}

// patience is how long a watch may be silent. A store with nothing to tell sends a
// bookmark each minute.
const patience = 3 * time.Minute

var errSilent = errors.New("the watch has fallen silent")

// Run reflects until ctx ends. When the store cannot be reached it tries
// again, first after 800 ms, at last every 30 s, like client-go's reflector.
func (r *Reflector) Run(ctx context.Context) {
	defer r.disconnect(nil)
	retry := NewBackoff[string](800*time.Millisecond, 30*time.Second)
	for ctx.Err() == nil {
		event, err := r.next(ctx)
		if r.watch != nil {
			retry.Forget("") // the store could be reached
		}
		if err == nil {
			r.take(event)
			continue
		}
		r.disconnect(err)
		Sleep(ctx, retry.Next(""))
	}
}

// Step takes one turn of Run's loop without waiting, and reports whether there
// was anything to do.
func (r *Reflector) Step(ctx context.Context) (bool, error) {
	fresh, resumed := r.watch == nil, r.version != ""
	if err := r.connect(ctx); err != nil {
		if r.disconnect(err) && resumed {
			return true, nil
		}
		return false, err
	}
	event, ok, err := r.watch.TryNext()
	if !ok && err == nil && r.silent() >= patience {
		err = errSilent
	}
	if err != nil {
		r.disconnect(err)
		return true, nil
	}
	if ok {
		r.take(event)
	}
	return ok || fresh, nil
}

func (r *Reflector) next(ctx context.Context) (watch.Event, error) {
	if err := r.connect(ctx); err != nil {
		return watch.Event{}, err
	}
	waits, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	event, err := r.watch.Next(waits)
	if err != nil && context.Cause(waits) == errSilent {
		err = errSilent
	}
	return event, err
}

// connect makes sure that there is a watch, and before the first watch a list.
func (r *Reflector) connect(ctx context.Context) error {
	if r.watch != nil {
		return nil
	}
	if r.version == "" {
		list, err := r.client.List(ctx, r.kind, r.opts)
		if err != nil {
			return err
		}
		r.fifo.Replace(list.Items)
		r.version = list.ResourceVersion
	}
	opts := r.opts
	opts.ResourceVersion, opts.Bookmarks = r.version, true
	w, err := r.client.Watch(ctx, r.kind, opts)
	if err != nil {
		return err
	}
	r.watch = w
	r.hear()
	return nil
}

// take passes one event on. The version is remembered last: an event is taken
// again rather than lost.
func (r *Reflector) take(event watch.Event) {
	r.hear()
	obj := event.Object.(Object)
	switch event.Type {
	case watch.Added:
		r.fifo.Add(Added, obj)
	case watch.Modified:
		r.fifo.Add(Updated, obj)
	case watch.Deleted:
		r.fifo.Add(Deleted, obj)
	}
	if event.Type != watch.Bookmark {
		r.trace.record("reflector", "event", obj)
	}
	r.version = obj.GetResourceVersion()
}

func (r *Reflector) hear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = time.Now()
}

// silent returns how long nothing has been heard; 0: nothing has been yet.
func (r *Reflector) silent() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heard.IsZero() {
		return 0
	}
	return time.Since(r.heard)
}

// disconnect ends the watch. When our version is worth nothing any more, the next
// connect starts over with a list; disconnect reports whether it will.
func (r *Reflector) disconnect(err error) (relist bool) {
	if r.watch != nil {
		r.watch.Stop()
		r.watch = nil
	}
	relist = startsOver(err)
	if relist {
		r.version = ""
	}
	return relist
}

// startsOver reports whether an error says that a watch is of no use from here on:
// it fell silent, or the store has answered, and not with "later". What nobody has
// answered is tried again. (client-go: isWatchErrorRetriable in
// tools/cache/reflector.go.)
func startsOver(err error) bool {
	var answer apierrors.APIStatus
	return errors.Is(err, errSilent) ||
		errors.As(err, &answer) && !apierrors.IsTooManyRequests(err)
}

// Sleep waits until so much time has passed, or ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
