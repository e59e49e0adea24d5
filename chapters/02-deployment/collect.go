package deployment

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// ownership says what an owner reference is worth.
type ownership int

const (
	solid    ownership = iota // the owner exists
	dangling                  // it is gone
	waiting                   // it is to be deleted, and waits for its dependents
)

// collect deletes obj if no owner is left that holds it. While one does, it
// drops the references to all others.
//
//book:exercise 2i
func (g *Collector) collect(ctx context.Context, obj controlloop.Object) error {
	awaited := false
	var keep []metav1.OwnerReference
	for _, ref := range obj.GetOwnerReferences() {
		worth, err := g.worth(ctx, obj, ref)
		if err != nil {
			return err
		}
		switch worth {
		case solid:
			keep = append(keep, ref)
		case waiting:
			awaited = true
		}
	}
	switch {
	case len(keep) == 0:
		return g.remove(ctx, obj, awaited)
	case len(keep) < len(obj.GetOwnerReferences()):
		next := controlloop.Copy(obj)
		next.SetOwnerReferences(keep)
		_, err := g.Client.Update(ctx, next)
		return IfThere(err)
	}
	return nil
}

// worth finds out about one owner: it is in the namespace of its dependent, or
// in none. An owner that no cache knows may have been created a moment ago, so
// the store is asked before it counts as gone.
//
//book:exercise 2j
func (g *Collector) worth(
	ctx context.Context, obj controlloop.Object, ref metav1.OwnerReference,
) (ownership, error) {
	kind, err := g.Kinds.For(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind))
	if err != nil || kind.Namespaced && obj.GetNamespace() == "" {
		return solid, nil // we cannot know, so it is not for us to delete
	}
	key := controlloop.Key{Name: ref.Name}
	if kind.Namespaced {
		key.Namespace = obj.GetNamespace()
	}
	owner, ok := g.graph.find(ref.UID)
	if !ok || controlloop.KeyOf(owner) != key {
		owner, err = g.Client.Get(ctx, kind.GroupVersionKind, key)
	}
	if apierrors.IsNotFound(err) {
		return dangling, nil
	}
	if err != nil {
		return solid, fmt.Errorf("find %s, owner of %s: %w",
			key, controlloop.KeyOf(obj), err)
	}
	switch {
	case owner.GetUID() != ref.UID:
		return dangling, nil
	case owner.GetDeletionTimestamp() != nil && slices.Contains(
		owner.GetFinalizers(), metav1.FinalizerDeleteDependents):
		return waiting, nil
	}
	return solid, nil
}

// remove deletes obj. If an owner waits for it, it waits for its own dependents
// in turn; else they follow when it is gone.
func (g *Collector) remove(
	ctx context.Context, obj controlloop.Object, awaited bool,
) error {
	dependents := g.graph.dependents(obj.GetUID())
	policy := propagation(obj, awaited && len(dependents) > 0)
	kind, err := g.Kinds.Of(obj)
	if err != nil {
		return err
	}
	if awaited && slices.ContainsFunc(dependents, waitsToGo) {
		if obj, err = g.unblock(ctx, obj); err != nil {
			return IfThere(err)
		}
	}
	uid, version := obj.GetUID(), obj.GetResourceVersion()
	return IfThere(g.Client.Delete(ctx, kind.GroupVersionKind,
		controlloop.KeyOf(obj), metav1.DeleteOptions{
			PropagationPolicy: &policy,
			Preconditions: &metav1.Preconditions{
				UID: &uid, ResourceVersion: &version,
			},
		}))
}
