package daemonset

import (
	"cmp"
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// revisions returns the current revision of a set, and all that it has; nil while
// Pods are being relabelled. (Kubernetes: constructHistory in
// pkg/controller/daemon/update.go.)
func (d *DaemonSets) revisions(
	ctx context.Context, ds *appsv1.DaemonSet,
) (cur *appsv1.ControllerRevision, all []*appsv1.ControllerRevision, err error) {
	all, err = d.History.Of(ctx, ds, deployment.SelectorOf(ds.Spec.Selector))
	if err != nil {
		return nil, nil, err
	}
	cur, err = d.History.Now(ctx, ds, &ds.Spec.Template, all)
	if err != nil {
		return nil, nil, err
	}
	all, done, err := d.dedupRevisions(ctx, ds, cur, all)
	if !done {
		return nil, nil, err
	}
	return cur, all, nil
}

// hashOf returns the hash that labels the Pods of a revision. A revision that was
// made before revisions had this label has its name instead.
func hashOf(r *appsv1.ControllerRevision) string {
	return cmp.Or(r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], r.Name)
}

// cleanupHistory deletes the oldest revisions beyond the limit that no Pod is of.
// (Kubernetes: the same name in pkg/controller/daemon/update.go.)
func (d *DaemonSets) cleanupHistory(
	ctx context.Context, r *rollout, all []*appsv1.ControllerRevision,
) error {
	live := map[string]bool{}
	for _, pod := range d.Pods.Lookup(controlloop.ByOwner, string(r.set.UID)) {
		live[revisionOf(pod.(*corev1.Pod))] = true
	}
	var idle []*appsv1.ControllerRevision
	old := 0
	for _, revision := range all {
		hash := hashOf(revision)
		if hash != r.hash {
			old++
		}
		if hash != r.hash && !live[hash] {
			idle = append(idle, revision)
		}
	}
	return d.History.Drop(ctx, idle, old-int(*r.set.Spec.RevisionHistoryLimit))
}
