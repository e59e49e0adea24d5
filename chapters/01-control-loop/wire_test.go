package controlloop_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// wire is a client that takes its time over every call, as a network does, and
// writes down what was asked and answered. It counts the calls, and the
// objects that came back.
type wire struct {
	*controlloop.Store
	who            string
	delay          time.Duration
	log            *transcript // nil: writes nothing
	calls, objects int
	dieAfter       int // writes; 0: never
}

func (w *wire) tell(format string, args ...any) {
	w.calls++
	if w.log != nil {
		w.log.sayf("%-4s "+format, append([]any{w.who}, args...)...)
	}
}

func (w *wire) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	time.Sleep(w.delay)
	list, err := w.Store.List(ctx, kind, opts)
	w.objects += len(list.Items)
	pods := "Pods"
	if len(list.Items) == 1 {
		pods = "Pod"
	}
	w.tell("lists: %d %s, version %s", len(list.Items), pods, list.ResourceVersion)
	return list, err
}

func (w *wire) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	time.Sleep(w.delay)
	stored, err := w.Store.Create(ctx, obj)
	if err != nil {
		w.log.sayf("%-4s cannot create: %v", w.who, err)
		return nil, err
	}
	w.tell("creates %s", stored.GetName())
	if w.dieAfter--; w.dieAfter == 0 {
		w.log.sayf("%-4s is killed", w.who)
		return nil, context.Canceled
	}
	return stored, err
}

func (w *wire) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	time.Sleep(w.delay)
	err := w.Store.Delete(ctx, kind, key, opts)
	deletes := "deletes"
	if w.who == "you" {
		deletes = "delete"
	}
	if err != nil {
		w.tell("%s %s: %v", deletes, key.Name, err)
	} else {
		w.tell("%s %s", deletes, key.Name)
	}
	return err
}

func (w *wire) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	inner, err := w.Store.Watch(ctx, kind, opts)
	if err != nil {
		w.tell("watches from version %s: %v", opts.ResourceVersion, err)
		return nil, err
	}
	w.tell("watches from version %s", opts.ResourceVersion)
	return &tap{inner, w}, nil
}

// tap counts and writes down the events of a watch.
type tap struct {
	controlloop.Watch
	wire *wire
}

func (t *tap) count(event watch.Event) watch.Event {
	t.wire.objects++
	if t.wire.log != nil {
		obj := event.Object.(controlloop.Object)
		t.wire.log.sayf("%-4s hears: %s %s, version %s",
			t.wire.who, event.Type, obj.GetName(), obj.GetResourceVersion())
	}
	return event
}

func (t *tap) Next(ctx context.Context) (watch.Event, error) {
	event, err := t.Watch.Next(ctx)
	if err != nil {
		return event, err
	}
	return t.count(event), nil
}

func (t *tap) TryNext() (watch.Event, bool, error) {
	event, ok, err := t.Watch.TryNext()
	if ok {
		event = t.count(event)
	}
	return event, ok, err
}
