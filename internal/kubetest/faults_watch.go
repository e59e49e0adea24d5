package kubetest

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// Watch implements controlloop.Client.
func (f *Faults) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	if err := f.call("watch", kind, controlloop.Key{}); err != nil {
		return nil, err
	}
	w, err := f.store.Watch(ctx, kind, opts)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return &faultyWatch{Watch: w, kind: kind, faults: f, connected: f.connected}, nil
}

// faultyWatch is a watch that can break. Only its reader uses it.
type faultyWatch struct {
	controlloop.Watch
	kind      schema.GroupVersionKind
	faults    *Faults
	connected context.Context
	broken    bool
	onTheWay  []arrival
}

// arrival is an event, and when it arrives.
type arrival struct {
	event watch.Event
	at    time.Time
}

// TryNext implements controlloop.Watch.
func (w *faultyWatch) TryNext() (watch.Event, bool, error) {
	if err := w.check(); err != nil {
		return watch.Event{}, false, err
	}
	event, ok, err := w.next()
	if err != nil || !ok {
		return event, ok, err
	}
	event, err = w.deliver(event)
	return event, err == nil, err
}

// next returns the first event that has arrived, if one has.
func (w *faultyWatch) next() (watch.Event, bool, error) {
	w.faults.mu.Lock()
	late, arrived := w.faults.late[w.kind], w.faults.arrived
	w.faults.mu.Unlock()
	for {
		event, ok, err := w.Watch.TryNext()
		if err != nil || ok && late == 0 && len(w.onTheWay) == 0 {
			return event, ok, err
		}
		if !ok {
			break
		}
		w.onTheWay = append(w.onTheWay, arrival{event, time.Now().Add(late)})
		time.AfterFunc(late, arrived)
	}
	if len(w.onTheWay) == 0 || time.Now().Before(w.onTheWay[0].at) {
		return watch.Event{}, false, nil
	}
	first := w.onTheWay[0]
	w.onTheWay = w.onTheWay[1:]
	return first.event, true, nil
}

// Next implements controlloop.Watch.
func (w *faultyWatch) Next(ctx context.Context) (watch.Event, error) {
	if broken := w.check(); broken != nil { // after the last event
		return watch.Event{}, broken
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.connected, cancel)()
	event, err := w.Watch.Next(ctx)
	if broken := w.check(); broken != nil {
		return watch.Event{}, broken
	}
	if err != nil {
		return event, err
	}
	return w.deliver(event)
}

// deliver counts an event, and breaks the watch when it is the one.
func (w *faultyWatch) deliver(event watch.Event) (watch.Event, error) {
	strikes, when := w.faults.strikes(&w.faults.events)
	if w.broken = strikes; strikes {
		w.faults.told("", "broken", fmt.Sprintf("a watch breaks %s an event: %v", when, w.check()))
	}
	if strikes && when == Before {
		return watch.Event{}, w.check()
	}
	return event, nil
}

// check returns why the watch is broken, or nil.
func (w *faultyWatch) check() error {
	w.faults.mu.Lock()
	defer w.faults.mu.Unlock()
	if w.broken || w.connected.Err() != nil {
		return w.faults.broken
	}
	return nil
}
