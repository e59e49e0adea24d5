package controlloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Delete asks for an object to go. It is gone at once when nobody needs time
// to part from it. Otherwise it gets a deletionTimestamp, and goes when its
// grace is cut to zero and its last finalizer is taken away. Fails with 404
// NotFound, or with 409 Conflict where opts.Preconditions do not hold.
func (s *Store) Delete(
	_ context.Context, kind schema.GroupVersionKind, key Key,
	opts metav1.DeleteOptions,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(kind)
	if err != nil {
		return err
	}
	old, err := t.get(key)
	if err != nil {
		return err
	}
	if err := t.holds(opts.Preconditions, old); err != nil {
		return err
	}
	next := Copy(old)
	markDeleted(next, graceOf(old, opts), opts.PropagationPolicy)
	switch {
	case gone(next):
		s.commit(t, watch.Deleted, next, old)
	case !sameDeletion(next, old):
		s.commit(t, watch.Modified, next, old)
	}
	return nil
}

// holds checks that the object is still the one that the caller means.
func (k Kind) holds(want *metav1.Preconditions, obj Object) error {
	if want == nil {
		return nil
	}
	if want.UID != nil {
		if err := k.fresh("", *want.UID, obj); err != nil {
			return err
		}
	}
	version := want.ResourceVersion
	if version != nil && *version != obj.GetResourceVersion() {
		return k.conflict(obj, fmt.Errorf("Precondition failed: ResourceVersion "+
			"in precondition: %v, ResourceVersion in object meta: %v",
			*version, obj.GetResourceVersion()))
	}
	return nil
}

// graceOf is how many seconds obj gets to end. Only a Pod that runs needs any
// (Kubernetes: pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
func graceOf(obj Object, opts metav1.DeleteOptions) int64 {
	pod, ok := obj.(*corev1.Pod)
	switch {
	case !ok, pod.Spec.NodeName == "", HasEnded(pod):
		return 0
	case opts.GracePeriodSeconds != nil:
		return max(0, *opts.GracePeriodSeconds)
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		return *pod.Spec.TerminationGracePeriodSeconds
	}
	return corev1.DefaultTerminationGracePeriodSeconds
}

// markDeleted gives obj its deletionTimestamp, or brings forward the one it
// has: asking again can shorten the grace, never lengthen it.
func markDeleted(obj Object, grace int64, policy *metav1.DeletionPropagation) {
	old := obj.GetDeletionGracePeriodSeconds()
	if old != nil && *old <= grace {
		return
	}
	if old == nil {
		obj.SetFinalizers(withPropagation(obj.GetFinalizers(), policy))
		if obj.GetGeneration() > 0 {
			obj.SetGeneration(obj.GetGeneration() + 1)
		}
	}
	end := metav1.NewTime(Now().Add(time.Duration(grace) * time.Second))
	if namespace, ok := obj.(*corev1.Namespace); ok {
		namespace.Status.Phase = corev1.NamespaceTerminating
	}
	obj.SetDeletionTimestamp(&end)
	obj.SetDeletionGracePeriodSeconds(&grace)
}

// withPropagation adds the finalizer that keeps an object until the garbage
// collector has dealt with what it owns.
func withPropagation(
	finalizers []string, policy *metav1.DeletionPropagation,
) []string {
	switch {
	case policy == nil:
		return finalizers
	case *policy == metav1.DeletePropagationForeground:
		return with(finalizers, metav1.FinalizerDeleteDependents)
	case *policy == metav1.DeletePropagationOrphan:
		return with(finalizers, metav1.FinalizerOrphanDependents)
	}
	return finalizers
}

func with(set []string, element string) []string {
	if slices.Contains(set, element) {
		return set
	}
	return append(slices.Clip(set), element)
}

// gone reports whether nothing holds obj any longer.
func gone(obj Object) bool {
	grace := obj.GetDeletionGracePeriodSeconds()
	if namespace, ok := obj.(*corev1.Namespace); ok {
		if len(namespace.Spec.Finalizers) > 0 {
			return false // what is in it has to go first
		}
	}
	return grace != nil && *grace == 0 && len(obj.GetFinalizers()) == 0
}

func sameDeletion(a, b Object) bool {
	return a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers())
}
