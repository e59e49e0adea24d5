package kubetest

import (
	"context"

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
	return &faultyWatch{Watch: w, faults: f, connected: f.connected}, nil
}

// faultyWatch is a watch that can break. Only its reader uses it.
type faultyWatch struct {
	controlloop.Watch
	faults    *Faults
	connected context.Context
	broken    bool
}

// TryNext implements controlloop.Watch.
func (w *faultyWatch) TryNext() (watch.Event, bool, error) {
	if err := w.check(); err != nil {
		return watch.Event{}, false, err
	}
	event, ok, err := w.Watch.TryNext()
	if err != nil || !ok {
		return event, ok, err
	}
	event, err = w.deliver(event)
	return event, err == nil, err
}

// Next implements controlloop.Watch.
func (w *faultyWatch) Next(ctx context.Context) (watch.Event, error) {
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
	w.broken = strikes
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
