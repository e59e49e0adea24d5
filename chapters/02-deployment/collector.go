package deployment

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Reconcile implements controlloop.Reconciler. Its key is a uid: see keyOf.
func (g *Collector) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	uid := types.UID(key.Name)
	obj, ok := g.graph.find(uid)
	if !ok {
		for _, dependent := range g.graph.dependents(uid) {
			g.enqueue(dependent.GetUID())
		}
		return controlloop.Result{}, nil
	}
	if obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, g.finish(ctx, obj)
	}
	if len(obj.GetOwnerReferences()) == 0 {
		return controlloop.Result{}, nil
	}
	g.tellAbroad(obj)
	return controlloop.Result{}, g.collect(ctx, obj)
}

// finish does for an object that is being deleted the work that it waits for.
func (g *Collector) finish(ctx context.Context, obj controlloop.Object) error {
	finalizers := obj.GetFinalizers()
	switch {
	case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		return g.orphan(ctx, obj)
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
		return g.waitForDependents(ctx, obj)
	}
	return nil
}

// waitForDependents enqueues all dependents, and lets their owner go
// when none that blocks it is left.
//
//book:exercise 2i
func (g *Collector) waitForDependents(
	ctx context.Context, owner controlloop.Object,
) error {
	blocked := false
	for _, dependent := range g.graph.dependents(owner.GetUID()) {
		blocked = blocked || blocks(dependent, owner)
		if dependent.GetDeletionTimestamp() == nil {
			g.enqueue(dependent.GetUID())
		}
	}
	if blocked {
		return nil // the last of them to go brings us back
	}
	return g.unhold(ctx, owner, metav1.FinalizerDeleteDependents)
}

func blocks(dependent, owner controlloop.Object) bool {
	return slices.ContainsFunc(dependent.GetOwnerReferences(),
		func(ref metav1.OwnerReference) bool {
			return ref.UID == owner.GetUID() &&
				ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
		})
}
