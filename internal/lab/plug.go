package lab

import (
	"context"
	"errors"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// plug stands between a controller of a machine and its Reconciler. While it is
// pulled nothing is reconciled; the keys wait here, so that no queue is looked
// through again and again.
type plug struct {
	controller *controlloop.Controller
	next       controlloop.Reconciler

	mu    sync.Mutex
	out   bool
	ended bool              // and never comes back
	held  []controlloop.Key // each once, in the order in which they came
}

// plugIn makes a controller reconcile through a plug, which it returns.
func plugIn(c *controlloop.Controller, out bool) *plug {
	p := &plug{controller: c, next: c.Reconciler, out: out}
	c.Reconciler = p
	return p
}

// Reconcile implements controlloop.Reconciler.
func (p *plug) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if p.holds(key) {
		return controlloop.Result{}, nil
	}
	return p.next.Reconcile(context.WithValue(ctx, plugKey{}, p), key)
}

func (p *plug) holds(key controlloop.Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out && !p.ended && !slices.Contains(p.held, key) {
		p.held = append(p.held, key)
	}
	return p.out
}

func (p *plug) isOut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out
}

// pull lets nothing through from now on.
func (p *plug) pull() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = true
}

// end pulls the plug for good: another controller takes this one's place.
func (p *plug) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out, p.ended, p.held = true, true, nil
}

// push puts the plug back, and the keys that waited into their queue.
func (p *plug) push() {
	p.mu.Lock()
	held := p.held
	p.out, p.held = false, nil
	p.mu.Unlock()
	for _, key := range held {
		p.controller.Queue.Add(key)
	}
}

// plugKey is the key of the plug that a request comes through, in its context.
type plugKey struct{}

var errNoRoute = errors.New("connect: network is unreachable")

// cutOff says why a request of a machine's controller does not come through: it
// was on its way when the cable was pulled.
func cutOff(ctx context.Context) error {
	if p, _ := ctx.Value(plugKey{}).(*plug); p != nil && p.isOut() {
		return errNoRoute
	}
	return nil
}

// plugged is a client of controllers, some of which may be cut off.
type plugged struct{ controlloop.Client }

// Get implements controlloop.Client.
func (c plugged) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	if err := cutOff(ctx); err != nil {
		return nil, err
	}
	return c.Client.Get(ctx, kind, key)
}

// Create implements controlloop.Client.
func (c plugged) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := cutOff(ctx); err != nil {
		return nil, err
	}
	return c.Client.Create(ctx, obj)
}

// Update implements controlloop.Client.
func (c plugged) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := cutOff(ctx); err != nil {
		return nil, err
	}
	return c.Client.Update(ctx, obj)
}

// UpdateStatus implements controlloop.Client.
func (c plugged) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := cutOff(ctx); err != nil {
		return nil, err
	}
	return c.Client.UpdateStatus(ctx, obj)
}

// Delete implements controlloop.Client.
func (c plugged) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	if err := cutOff(ctx); err != nil {
		return err
	}
	return c.Client.Delete(ctx, kind, key, opts)
}

// Bind implements controlloop.Client.
func (c plugged) Bind(ctx context.Context, binding *corev1.Binding) error {
	if err := cutOff(ctx); err != nil {
		return err
	}
	return c.Client.Bind(ctx, binding)
}
