package lab

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/events"
)

// eventTTL is how long an event is kept after it was last seen: the API
// server's --event-ttl.
const eventTTL = time.Hour

// expiry forgets events. In Kubernetes etcd does, by a lease on their keys.
type expiry struct {
	client controlloop.Client
	events *controlloop.Indexer
}

func newExpiry(s *controlloop.System) *controlloop.Controller {
	all := s.Informer(events.Kind, controlloop.ListOptions{})
	c := controlloop.NewController("expiry", &expiry{s.Client, all.Cache})
	s.Add(c)
	c.Watch(all, controlloop.Self)
	return c
}

// Reconcile implements controlloop.Reconciler.
func (e *expiry) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := e.events.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	left := time.Until(lastSeen(obj.(*corev1.Event)).Add(eventTTL))
	if left > 0 {
		return controlloop.Result{After: left}, nil
	}
	version := obj.GetResourceVersion()
	err := e.client.Delete(ctx, events.Kind, key, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{ResourceVersion: &version},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return controlloop.Result{}, nil // it was seen again, and we shall hear
	}
	return controlloop.Result{}, err
}

// lastSeen returns the latest of an event's times, of which its author may have
// filled in any.
func lastSeen(event *corev1.Event) time.Time {
	last := event.CreationTimestamp.Time
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	later(event.LastTimestamp.Time)
	later(event.EventTime.Time)
	if event.Series != nil {
		later(event.Series.LastObservedTime.Time)
	}
	return last
}
