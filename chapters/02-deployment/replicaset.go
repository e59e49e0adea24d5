package deployment

import (
	"cmp"
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// burst is how many Pods a ReplicaSet creates or deletes in one reconcile.
const burst = 500

// ReplicaSets keeps as many Pods as each ReplicaSet wants.
type ReplicaSets struct {
	Kind       schema.GroupVersionKind // the kind that controls its Pods
	Client     controlloop.Client
	Sets, Pods *controlloop.Indexer
	Recorder   controlloop.Recorder
	Expected   *Expectations
}

// Reconcile implements controlloop.Reconciler.
func (r *ReplicaSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := r.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	rs := obj.(*appsv1.ReplicaSet)
	wait := r.Expected.Wait(rs.UID)
	owned := r.Pods.Lookup(controlloop.ByOwner, string(rs.UID))
	pods, err := r.claimPods(ctx, rs, owned)
	if err != nil {
		return controlloop.Result{}, err
	}
	var failure error
	if wait == 0 && rs.DeletionTimestamp == nil {
		failure = r.manage(ctx, rs, pods)
	}
	next, err := r.report(ctx, rs, pods, leaving(rs, owned), failure)
	return controlloop.Result{After: controlloop.Sooner(wait, next)},
		cmp.Or(failure, err)
}

// manage creates or deletes the difference.
func (r *ReplicaSets) manage(
	ctx context.Context, rs *appsv1.ReplicaSet, pods []*corev1.Pod,
) error {
	surplus := len(pods) - int(*rs.Spec.Replicas)
	switch {
	case surplus < 0:
		return r.create(ctx, rs, min(-surplus, burst))
	case surplus > 0:
		return r.remove(ctx, rs,
			leastUseful(pods, r.related(rs), min(surplus, burst)))
	}
	return nil
}
