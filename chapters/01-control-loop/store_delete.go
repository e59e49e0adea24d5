package controlloop

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	grace := t.grace(old, opts.GracePeriodSeconds)
	t.markDeleted(next, grace, opts.PropagationPolicy)
	switch {
	case t.gone(next):
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

// markDeleted gives obj its deletionTimestamp, or brings forward the one it
// has: asking again can shorten the grace, never lengthen it.
func (k Kind) markDeleted(
	obj Object, grace int64, policy *metav1.DeletionPropagation,
) {
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
	k.begin(obj)
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

func sameDeletion(a, b Object) bool {
	return a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers())
}
