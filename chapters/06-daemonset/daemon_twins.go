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

// unite drops revisions that say what the set's own says: another writer has
// made them. Their Pods are what they should be already: they are not replaced,
// and bear the other hash from now on. It returns the revisions that are left,
// and that it is not done while the cache has to hear of the Pods first: by
// what it knows they would be replaced. (Kubernetes: dedupCurHistories in
// pkg/controller/daemon/update.go.)
func (d *DaemonSets) unite(
	ctx context.Context, ds *appsv1.DaemonSet,
	own *appsv1.ControllerRevision, all []*appsv1.ControllerRevision,
) (left []*appsv1.ControllerRevision, done bool, _ error) {
	var twins []*appsv1.ControllerRevision
	for _, r := range all {
		if r.UID != own.UID && bytes.Equal(r.Data.Raw, own.Data.Raw) {
			twins = append(twins, r)
		}
	}
	if twins == nil {
		return all, true, nil
	}
	renamed, err := d.rename(ctx, ds, twins, hashOf(own))
	if renamed || err != nil {
		return nil, false, err
	}
	err = d.History.Drop(ctx, twins, len(twins))
	return slices.DeleteFunc(all, func(r *appsv1.ControllerRevision) bool {
		return slices.Contains(twins, r)
	}), err == nil, err
}

// rename has the Pods of these revisions bear another hash, and reports whether
// there were any.
func (d *DaemonSets) rename(
	ctx context.Context, ds *appsv1.DaemonSet,
	of []*appsv1.ControllerRevision, hash string,
) (renamed bool, _ error) {
	for _, obj := range d.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		was := obj.GetLabels()[appsv1.ControllerRevisionHashLabelKey]
		if was == hash || !slices.ContainsFunc(of, func(r *appsv1.ControllerRevision) bool {
			return hashOf(r) == was
		}) {
			continue
		}
		pod := controlloop.Copy(obj.(*corev1.Pod))
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = hash
		if _, err := d.Client.Update(ctx, pod); err != nil {
			return true, fmt.Errorf("rename the revision of pod %s: %w", pod.Name, err)
		}
		renamed = true
	}
	return renamed, nil
}
