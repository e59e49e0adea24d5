package stories

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// book starts the book's controllers.
func (c *cluster) book(
	ctx context.Context, all ...func(*controlloop.System) *controlloop.Controller,
) {
	system := &controlloop.System{Client: admitted{c.store, c}, Recorder: func(corev1.EventSource) controlloop.Recorder {
		return recorder{c}
	}}
	for _, add := range all {
		add(system)
	}
	c.done.Go(func() { system.Run(ctx) })
}

// admitted is their client: whatever the API server adds or refuses on the way
// in, is added or refused for them too.
type admitted struct {
	controlloop.Client
	cluster *cluster
}

// Create implements controlloop.Client.
func (a admitted) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if _, ok := obj.(*corev1.Pod); ok {
		a.cluster.creates()
	}
	obj, err := admission.Admit(ctx, a.cluster.store, obj, false)
	if err != nil {
		return nil, err
	}
	return a.Client.Create(ctx, obj)
}

// recorder notes the events of the book's controllers.
type recorder struct{ cluster *cluster }

// Eventf implements controlloop.Recorder.
func (r recorder) Eventf(about runtime.Object, eventtype, reason, format string, args ...any) {
	r.cluster.recordEvent(event{
		about.GetObjectKind().GroupVersionKind().Kind, nameOf(about),
		fmt.Sprintf("%s %s: %s", eventtype, reason, fmt.Sprintf(format, args...)),
	})
}

// nameOf returns that of an object, or of one that is told of by reference.
func nameOf(about runtime.Object) string {
	if of, ok := about.(*corev1.ObjectReference); ok {
		return of.Name
	}
	return about.(controlloop.Object).GetName()
}
