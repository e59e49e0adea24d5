package statefulset

import (
	"context"
	"fmt"
	"strings"

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

// remove deletes a Pod: this one, and not its successor, which has its name. Of a
// late cache it deletes a Pod twice, and tells so twice, as Kubernetes does.
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

// tell notes the step as an event, in Kubernetes' words (recordPodEvent in
// pkg/controller/statefulset/stateful_pod_control.go).
func (s *StatefulSets) tell(
	set *appsv1.StatefulSet, did string, pod *corev1.Pod, err error,
) {
	did = strings.ToUpper(did[:1]) + did[1:]
	if err == nil {
		s.Recorder.Eventf(set, corev1.EventTypeNormal, "Successful"+did,
			"%s Pod %s in StatefulSet %s successful", did, pod.Name, set.Name)
		return
	}
	s.Recorder.Eventf(set, corev1.EventTypeWarning, "Failed"+did,
		"%s Pod %s in StatefulSet %s failed error: %s",
		did, pod.Name, set.Name, err)
}
