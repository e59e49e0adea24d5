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

	controlloop "reconcile/chapters/01-control-loop"
)

// podsOf returns the Pods that a Service selects.
func (e *Endpoints) podsOf(service *corev1.Service) (pods []*corev1.Pod) {
	for _, pod := range e.Pods.Lookup(controlloop.ByNamespace, service.Namespace) {
		if selects(service, pod) {
			pods = append(pods, pod.(*corev1.Pod))
		}
	}
	return pods
}

// slicesOf returns the slices that a Service has, but for those that are being
// deleted.
func (e *Endpoints) slicesOf(
	service *corev1.Service,
) (have []*discoveryv1.EndpointSlice) {
	for _, s := range e.Slices.Lookup(controlloop.ByOwner, string(service.UID)) {
		if s.GetDeletionTimestamp() == nil {
			have = append(have, s.(*discoveryv1.EndpointSlice))
		}
	}
	return have
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
// of them. Their names are not known in advance: a second reconcile would
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
