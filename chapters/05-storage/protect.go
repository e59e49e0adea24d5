package storage

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Reconcile implements controlloop.Reconciler.
//
//book:exercise 5e
func (g *guard) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := g.objects.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	guarded := slices.Contains(obj.GetFinalizers(), g.finalizer)
	leaving := obj.GetDeletionTimestamp() != nil
	switch {
	case leaving == !guarded: // it may go, or is guarded
		return controlloop.Result{}, nil
	case leaving:
		used, err := g.isUsed(ctx, obj)
		if err != nil || used {
			return controlloop.Result{}, err // its last user brings us back
		}
	}
	next := controlloop.Copy(obj)
	next.SetFinalizers(without(next.GetFinalizers(), g.finalizer))
	if !leaving {
		next.SetFinalizers(append(next.GetFinalizers(), g.finalizer))
	}
	_, err := g.client.Update(ctx, next)
	return controlloop.Result{}, err
}

// of reports whether a Pod on a node mounts a claim, one that has ended too: it
// may be looked into as long as it exists. If the cache knows of none, that is
// not enough to let data go, so then the store is asked.
//
//book:exercise 5e
func (u *users) of(
	ctx context.Context, claim controlloop.Object,
) (bool, error) {
	key := controlloop.KeyOf(claim)
	uses := func(obj controlloop.Object) bool {
		return obj.(*corev1.Pod).Spec.NodeName != "" &&
			slices.Contains(claimsOfPod(obj), key)
	}
	if u.pods.Any(byClaim, key.String(), uses) {
		return true, nil
	}
	all, err := u.client.List(ctx, controlloop.PodKind,
		controlloop.ListOptions{Namespace: key.Namespace})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all.Items, uses), nil
}
