package look

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// client is that of controllers which are looked at.
type client struct {
	controlloop.Client
	recorder *Recorder
	kinds    controlloop.Kinds
}

// Client returns a client for controllers of objects of these kinds, by which it is known
// who writes.
func (r *Recorder) Client(next controlloop.Client, kinds controlloop.Kinds) controlloop.Client {
	return client{next, r, kinds}
}

// write makes a write for the run in whose name it is asked for.
func (c client) write(ctx context.Context, verb string, kind controlloop.Kind, key controlloop.Key, do func() error) error {
	by, ok := ctx.Value(runKey{}).(run)
	if !ok || !by.on.Load() && by.armed.Load() == 0 && !by.hasCrashed() {
		return do()
	}
	if err := by.refuses(verb, kind, key); err != nil {
		return err
	}
	defer by.as(by)()
	err := do()
	if err == nil {
		by.hasWritten()
	}
	return err
}

// as has what this goroutine writes be a run's, until the function that it returns is
// called. A run may have many goroutines.
func (r *Recorder) as(by run) (done func()) {
	g := Goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.doing[g]
	if known && before.run == by.n {
		return func() {}
	}
	r.doing[g] = cause{by.controller.Name, by.n, by.n}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if delete(r.doing, g); known {
			r.doing[g] = before
		}
	}
}

// object writes an object.
func (c client) object(
	ctx context.Context, verb string, obj controlloop.Object,
	do func(context.Context, controlloop.Object) (controlloop.Object, error),
) (stored controlloop.Object, err error) {
	kind, err := c.kinds.Of(obj)
	if err != nil {
		return nil, err
	}
	err = c.write(ctx, verb, kind, controlloop.KeyOf(obj), func() (err error) {
		stored, err = do(ctx, obj)
		return err
	})
	return stored, err
}

// Create implements controlloop.Client.
func (c client) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return c.object(ctx, "create", obj, c.Client.Create)
}

// Update implements controlloop.Client.
func (c client) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return c.object(ctx, "update", obj, c.Client.Update)
}

// UpdateStatus implements controlloop.Client.
func (c client) UpdateStatus(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return c.object(ctx, "update", obj, c.Client.UpdateStatus)
}

// Delete implements controlloop.Client.
func (c client) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key, opts metav1.DeleteOptions,
) error {
	return c.write(ctx, "delete", controlloop.Kind{GroupVersionKind: kind}, key, func() error {
		return c.Client.Delete(ctx, kind, key, opts)
	})
}

// Bind implements controlloop.Client.
func (c client) Bind(ctx context.Context, binding *corev1.Binding) error {
	pod := controlloop.Kind{GroupVersionKind: controlloop.PodKind}
	return c.write(ctx, "bind", pod, controlloop.KeyOf(binding), func() error {
		return c.Client.Bind(ctx, binding)
	})
}

// Watch implements controlloop.Client.
func (c client) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := c.Client.Watch(ctx, kind, opts)
	if err != nil {
		return nil, err
	}
	return lateWatch{w, c.recorder, kind.Kind}, nil
}
