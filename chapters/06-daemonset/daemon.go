package daemonset

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// plan is what a reconcile creates and deletes.
type plan struct {
	nodesNeedingPods []string
	podsToDelete     []*corev1.Pod
}

func (p plan) isEmpty() bool {
	return len(p.nodesNeedingPods)+len(p.podsToDelete) == 0
}

// Reconcile implements controlloop.Reconciler. A set that is being deleted is left
// alone: its Pods are the garbage collector's business. An update goes on only
// when no single node needs anything: it relies on each node having its Pod.
// (Kubernetes: syncDaemonSet.)
func (d *DaemonSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	none := controlloop.Result{}
	obj, ok := d.Sets.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return none, nil
	}
	ds := obj.(*appsv1.DaemonSet)
	wait := d.wait(ds) // before the walk, which may read more by its end
	cur, all, err := d.revisions(ctx, ds)
	if cur == nil || err != nil {
		return none, err
	}
	r := newRollout(ds, hashOf(cur))
	nodes, err := d.walk(ctx, r)
	if err != nil {
		return none, err
	}
	after := controlloop.Sooner(wait, r.nextAvailable(nodes))
	if wait > 0 {
		return controlloop.Result{After: after},
			d.updateStatus(ctx, r, nodes, ds.Status.ObservedGeneration)
	}
	p, kept := d.manage(r, nodes)
	if p.isEmpty() && isRolling(ds) {
		p = r.rollingUpdate(nodes)
	}
	failure := d.syncNodes(ctx, r, p)
	if failure == nil {
		failure = d.cleanupHistory(ctx, r, all)
	}
	err = d.updateStatus(ctx, r, nodes, ds.Generation)
	return controlloop.Result{After: controlloop.Sooner(after, kept)},
		errors.Join(failure, err)
}

// manage plans what single nodes need, whether there is an update or not. It
// returns after how long to decide again about failed Pods that are kept; 0:
// there are none. (Kubernetes: the same name.)
func (d *DaemonSets) manage(
	r *rollout, nodes []nodePods,
) (p plan, after time.Duration) {
	for _, n := range nodes {
		needsPod, podsToDelete := r.taskOf(n)
		if needsPod {
			p.nodesNeedingPods = append(p.nodesNeedingPods, n.name)
		}
		for _, pod := range podsToDelete {
			kept := d.keep(r, n, pod)
			if kept == 0 {
				p.podsToDelete = append(p.podsToDelete, pod)
			}
			after = controlloop.Sooner(after, kept)
		}
	}
	return p, after
}
