package controlloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

// Delete asks for an object to go. It is gone at once unless a grace or a
// finalizer holds it. Otherwise it gets a deletionTimestamp, and goes when its
// grace is cut to zero and its last finalizer is taken away. Delete fails with
// 404 NotFound, or with 409 Conflict where opts.Preconditions do not hold.
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
	asked := opts.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		asked = new(int64(1))
	}
	isFirst := old.GetDeletionTimestamp() == nil
	if isFirst || t.Grace == nil { // who is in its grace keeps the first policy
		next.SetFinalizers(withPropagation(old.GetFinalizers(), opts.PropagationPolicy))
	}
	if isFirst {
		t.markDeleted(next, asked)
	} else {
		hasten(next, asked)
	}
	switch {
	case t.gone(next):
		s.commit(t, watch.Deleted, next, old)
	case !sameDeletion(next, old):
		s.commit(t, watch.Modified, next, old)
	}
	return nil
}

// holds returns an error unless the object is still the one that the caller
// means. (Kubernetes: BeforeDelete in
// k8s.io/apiserver/pkg/registry/rest/delete.go.)
func (k Kind) holds(want *metav1.Preconditions, obj Object) error {
	if want == nil {
		return nil
	}
	var why error
	if uid := want.UID; uid != nil && *uid != obj.GetUID() {
		why = fmt.Errorf("the UID in the precondition (%s) does not match the "+
			"UID in record (%s). The object might have been deleted and then "+
			"recreated", *uid, obj.GetUID())
	} else if v := want.ResourceVersion; v != nil && *v != obj.GetResourceVersion() {
		why = fmt.Errorf("the ResourceVersion in the precondition (%s) does not "+
			"match the ResourceVersion in record (%s). The object might have been "+
			"modified", *v, obj.GetResourceVersion())
	}
	if why == nil {
		return nil
	}
	kind := schema.GroupResource{Group: k.Group, Resource: k.Kind}
	return apierrors.NewConflict(kind, obj.GetName(), why)
}

// markDeleted gives obj its deletionTimestamp.
func (k Kind) markDeleted(obj Object, asked *int64) {
	if obj.GetGeneration() > 0 {
		obj.SetGeneration(obj.GetGeneration() + 1)
	}
	k.begin(obj)
	grace := k.grace(obj, asked)
	setDeletion(obj, Now().Add(seconds(grace)), grace)
}

// hasten brings the deletionTimestamp of obj forward: asking again can shorten
// the grace, never lengthen it. It counts from the first deletion, and does not
// end in the past. (Kubernetes: BeforeDelete in
// k8s.io/apiserver/pkg/registry/rest/delete.go.)
//
//	deleted at 0 s with 30 s to go; at 20 s with 25: it ends at 25 s
//	deleted at 0 s with 30 s to go; at 20 s with 10: it ends at 20 s
func hasten(obj Object, asked *int64) {
	had := *obj.GetDeletionGracePeriodSeconds()
	if asked == nil || *asked >= had {
		return
	}
	end, grace := obj.GetDeletionTimestamp().Add(seconds(*asked-had)), *asked
	if now := Now(); end.Before(now.Time) {
		end, grace = now.Time, min(grace, 1) // at 0 it would be gone
	}
	setDeletion(obj, end, grace)
}

func setDeletion(obj Object, end time.Time, grace int64) {
	obj.SetDeletionTimestamp(new(metav1.NewTime(end)))
	obj.SetDeletionGracePeriodSeconds(&grace)
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// withPropagation returns the finalizers with those that a policy, if there
// is one, asks for: they keep an object until the garbage collector has
// dealt with what it owns.
func withPropagation(
	finalizers []string, policy *metav1.DeletionPropagation,
) []string {
	if policy == nil {
		return finalizers
	}
	wanted := map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
		metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
	}[*policy]
	kept := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool {
		return f != wanted && (f == metav1.FinalizerDeleteDependents ||
			f == metav1.FinalizerOrphanDependents)
	})
	if wanted == "" {
		return kept
	}
	return with(kept, wanted)
}

func with(set []string, element string) []string {
	if slices.Contains(set, element) {
		return set
	}
	return append(slices.Clip(set), element)
}

func sameDeletion(a, b Object) bool {
	return a.GetDeletionTimestamp().Equal(b.GetDeletionTimestamp()) &&
		ptr.Equal(a.GetDeletionGracePeriodSeconds(),
			b.GetDeletionGracePeriodSeconds()) &&
		slices.Equal(a.GetFinalizers(), b.GetFinalizers())
}
