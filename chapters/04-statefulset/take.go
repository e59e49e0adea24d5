package statefulset

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// take takes the steps, one after the other, until one fails.
func (s *StatefulSets) take(
	ctx context.Context, set *appsv1.StatefulSet, v Versions, all []step,
) error {
	for _, x := range all {
		var err error
		switch x.do {
		case create:
			version := s.Update.For(set, v, x.ordinal)
			err = s.create(ctx, set, newPod(set, version, x.ordinal))
		case renew:
			err = s.renew(ctx, set, x.pod)
		case remove:
			err = s.remove(ctx, set, x.pod)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// create makes a Pod. It records no event when the name is taken: the cache has
// not heard of that Pod yet, or it is another's.
func (s *StatefulSets) create(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	err := s.Claims.Equip(ctx, set, pod)
	if err == nil {
		_, err = s.Client.Create(ctx, pod)
	}
	if !apierrors.IsAlreadyExists(err) {
		s.tell(set, "create", pod, err)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", controlloop.KeyOf(pod), err)
	}
	return nil
}

// remove deletes a Pod: this one, and not its successor, which has its name. Of a
// late cache it deletes a Pod twice, which changes nothing.
func (s *StatefulSets) remove(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	err := s.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	s.tell(set, "delete", pod, err)
	if err != nil {
		return fmt.Errorf("delete %s: %w", controlloop.KeyOf(pod), err)
	}
	return nil
}
