package statefulset

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// renew puts a Pod's name back on it. It records no event when another client
// was faster: the cache will hear of that.
func (s *StatefulSets) renew(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	ordinal, _ := ordinalOf(set, pod)
	next := controlloop.Copy(pod)
	identify(next, ordinal)
	_, err := s.Client.Update(ctx, next)
	if !apierrors.IsConflict(err) {
		s.tell(set, "update", pod, err)
	}
	if err != nil {
		return fmt.Errorf("update %s: %w", controlloop.KeyOf(pod), err)
	}
	return nil
}
