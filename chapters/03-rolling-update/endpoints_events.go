package rollingupdate

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// NewEndpoints returns the controller that keeps the EndpointSlices of a
// system's Services. (Kubernetes: pkg/controller/endpointslice.)
func NewEndpoints(s *controlloop.System) *controlloop.Controller {
	services := s.Informer(ServiceKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	found := s.Informer(EndpointSliceKind, controlloop.ListOptions{})
	found.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	e := &Endpoints{
		Client: s.Client, Services: services.Cache, Pods: pods.Cache,
		Slices: found.Cache, Expected: deployment.NewExpectations(),
	}
	c := controlloop.NewController("endpointslice", e)
	c.Workers = 5
	s.Add(c)
	found.Handle(controlloop.Handler{OnAdd: func(slice controlloop.Object) {
		if owner := metav1.GetControllerOf(slice); owner != nil {
			e.Expected.Created(owner.UID)
		}
	}})
	services.Handle(controlloop.Handler{OnDelete: func(s controlloop.Object) {
		e.Expected.Forget(s.GetUID())
	}})
	c.Watch(services, controlloop.Self)
	c.Watch(pods, e.servicesOf)
	c.Watch(found, serviceOf)
	return c
}

// managedBy is the label's value by which the controller knows its own slices.
const managedBy = "endpointslice-controller.k8s.io"

// serviceOf returns the Service of one of our slices.
func serviceOf(slice controlloop.Object) []controlloop.Key {
	l := slice.GetLabels()
	if l[discoveryv1.LabelManagedBy] != managedBy {
		return nil
	}
	return []controlloop.Key{{
		Namespace: slice.GetNamespace(), Name: l[discoveryv1.LabelServiceName],
	}}
}
