package rollingupdate

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// managedBy is the label's value by which the controller knows its own slices.
const managedBy = "endpointslice-controller.k8s.io"

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
	var pods []*corev1.Pod
	for _, pod := range e.Pods.Lookup(controlloop.ByNamespace, key.Namespace) {
		if selects(service, pod) {
			pods = append(pods, pod.(*corev1.Pod))
		}
	}
	var have []*discoveryv1.EndpointSlice
	for _, s := range e.Slices.Lookup(controlloop.ByOwner, string(service.UID)) {
		if s.GetDeletionTimestamp() == nil {
			have = append(have, s.(*discoveryv1.EndpointSlice))
		}
	}
	want := pack(have, poolsOf(service, pods),
		func() *discoveryv1.EndpointSlice { return emptySlice(service) })
	return controlloop.Result{}, e.write(ctx, service, have, want)
}

// emptySlice returns a new slice of a Service.
func emptySlice(service *corev1.Service) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: service.Namespace, GenerateName: service.Name + "-",
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(service, ServiceKind),
			},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
	}
}

// labelsOf returns the labels of the Service, and those by which a slice is
// found.
func labelsOf(service *corev1.Service) map[string]string {
	all := map[string]string{}
	maps.Copy(all, service.Labels)
	all[discoveryv1.LabelServiceName] = service.Name
	all[discoveryv1.LabelManagedBy] = managedBy
	delete(all, corev1.IsHeadlessService)
	if service.Spec.ClusterIP == corev1.ClusterIPNone {
		all[corev1.IsHeadlessService] = ""
	}
	return all
}

// write turns the slices of a Service into those that it should have.
func (e *Endpoints) write(
	ctx context.Context, service *corev1.Service,
	have, want []*discoveryv1.EndpointSlice,
) error {
	left := map[string]*discoveryv1.EndpointSlice{}
	for _, s := range have {
		left[s.Name] = s
	}
	var created []*discoveryv1.EndpointSlice
	for _, s := range want {
		s.Labels = labelsOf(service)
		old, exists := left[s.Name]
		delete(left, s.Name)
		switch {
		case !exists:
			created = append(created, s)
		case !equality.Semantic.DeepEqual(s, old):
			if _, err := e.Client.Update(ctx, s); err != nil {
				return fmt.Errorf("update %s: %w", controlloop.KeyOf(s), err)
			}
		}
	}
	if err := e.create(ctx, service, created); err != nil {
		return err
	}
	return e.remove(ctx, left)
}

// create makes slices, which the cache knows only when it has heard
// of them. Their names are not known in advance: a second look would
// make them a second time.
func (e *Endpoints) create(
	ctx context.Context, service *corev1.Service,
	created []*discoveryv1.EndpointSlice,
) error {
	if len(created) == 0 {
		return nil
	}
	e.Expected.ExpectCreates(service.UID, len(created))
	for i, s := range created {
		if _, err := e.Client.Create(ctx, s); err != nil {
			for range created[i:] {
				e.Expected.Created(service.UID)
			}
			return fmt.Errorf(
				"create a slice of %s: %w", controlloop.KeyOf(service), err)
		}
	}
	return nil
}

func (e *Endpoints) remove(
	ctx context.Context, slices map[string]*discoveryv1.EndpointSlice,
) error {
	for _, s := range slices {
		err := e.Client.Delete(ctx, EndpointSliceKind, controlloop.KeyOf(s),
			metav1.DeleteOptions{
				Preconditions: metav1.NewUIDPreconditions(string(s.UID)),
			})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s: %w", controlloop.KeyOf(s), err)
		}
	}
	return nil
}
