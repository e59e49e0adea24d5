package rollingupdate

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// Endpoints writes down, for each Service, the Pods that it selects.
type Endpoints struct {
	Client                 controlloop.Client
	Services, Pods, Slices *controlloop.Indexer
	Expected               *deployment.Expectations // slices that were created
}

// servicesOf returns all Services that select a Pod: none of them owns it.
func (e *Endpoints) servicesOf(pod controlloop.Object) []controlloop.Key {
	var keys []controlloop.Key
	for _, obj := range e.Services.Lookup(
		controlloop.ByNamespace, pod.GetNamespace()) {
		if selects(obj.(*corev1.Service), pod) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// selects reports whether a Service sends requests to a Pod. One without a
// selector leaves the choice to others.
func selects(service *corev1.Service, pod controlloop.Object) bool {
	return len(service.Spec.Selector) > 0 && labels.SelectorFromSet(
		service.Spec.Selector).Matches(labels.Set(pod.GetLabels()))
}

// Reconcile implements controlloop.Reconciler.
func (e *Endpoints) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := e.Services.Get(key)
	if !ok {
		return controlloop.Result{}, nil // its slices are the collector's
	}
	service := obj.(*corev1.Service)
	if wait := e.Expected.Wait(service.UID); wait > 0 {
		return controlloop.Result{After: wait}, nil
	}
	if len(service.Spec.Selector) == 0 || service.DeletionTimestamp != nil {
		return controlloop.Result{}, nil
	}
	have := e.slicesOf(service)
	want := pack(have, poolsOf(service, e.podsOf(service)),
		func() *discoveryv1.EndpointSlice { return emptySlice(service) })
	return controlloop.Result{}, e.write(ctx, service, have, want)
}
