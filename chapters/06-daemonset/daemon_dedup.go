package daemonset

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// dedupRevisions deletes revisions with the data of the set's current one, which
// another writer has made. Their Pods are up to date already: they are not
// replaced, but relabelled with the current hash. It returns the revisions that
// are left; done is false until the cache has seen the relabelled Pods, which it
// would otherwise replace. (Kubernetes: dedupCurHistories in
// pkg/controller/daemon/update.go.)
func (d *DaemonSets) dedupRevisions(
	ctx context.Context, ds *appsv1.DaemonSet,
	cur *appsv1.ControllerRevision, all []*appsv1.ControllerRevision,
) (left []*appsv1.ControllerRevision, done bool, _ error) {
	var duplicates []*appsv1.ControllerRevision
	for _, r := range all {
		if r.UID != cur.UID && bytes.Equal(r.Data.Raw, cur.Data.Raw) {
			duplicates = append(duplicates, r)
		}
	}
	if duplicates == nil {
		return all, true, nil
	}
	relabelled, err := d.relabel(ctx, ds, duplicates, hashOf(cur))
	if relabelled || err != nil {
		return nil, false, err
	}
	err = d.History.Drop(ctx, duplicates, len(duplicates))
	return slices.DeleteFunc(all, func(r *appsv1.ControllerRevision) bool {
		return slices.Contains(duplicates, r)
	}), err == nil, err
}

// relabel gives the Pods of these revisions another hash, and reports whether
// there were any.
func (d *DaemonSets) relabel(
	ctx context.Context, ds *appsv1.DaemonSet,
	duplicates []*appsv1.ControllerRevision, hash string,
) (relabelled bool, _ error) {
	for _, obj := range d.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		was := obj.GetLabels()[appsv1.ControllerRevisionHashLabelKey]
		isDuplicate := slices.ContainsFunc(duplicates,
			func(r *appsv1.ControllerRevision) bool { return hashOf(r) == was })
		if was == hash || !isDuplicate {
			continue
		}
		pod := controlloop.Copy(obj.(*corev1.Pod))
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = hash
		if _, err := d.Client.Update(ctx, pod); err != nil {
			return true, fmt.Errorf("rename the revision of pod %s: %w", pod.Name, err)
		}
		relabelled = true
	}
	return relabelled, nil
}
