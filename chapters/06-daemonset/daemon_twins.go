package daemonset

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	controlloop "reconcile/chapters/01-control-loop"
)

// unite drops revisions that say what the set's own says: somebody else has made
// them. Their Pods are what they should be already, so they are not replaced,
// and bear the other hash from now on. It returns the revisions that are left.
// (Kubernetes: dedupCurHistories in pkg/controller/daemon/update.go.)
func (d *DaemonSets) unite(
	ctx context.Context, ds *appsv1.DaemonSet,
	own *appsv1.ControllerRevision, all []*appsv1.ControllerRevision,
) ([]*appsv1.ControllerRevision, error) {
	twin := func(r *appsv1.ControllerRevision) bool {
		return r.UID != own.UID && bytes.Equal(r.Data.Raw, own.Data.Raw)
	}
	var twins []*appsv1.ControllerRevision
	hashes := sets.Set[string]{}
	for _, r := range all {
		if twin(r) {
			twins = append(twins, r)
			hashes.Insert(hashOf(r))
		}
	}
	if twins == nil {
		return all, nil
	}
	for _, obj := range d.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		hash := obj.GetLabels()[appsv1.ControllerRevisionHashLabelKey]
		if !hashes.Has(hash) {
			continue
		}
		pod := controlloop.Copy(obj.(*corev1.Pod))
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = hashOf(own)
		if _, err := d.Client.Update(ctx, pod); err != nil {
			return nil, fmt.Errorf("relabel pod %s: %w", pod.Name, err)
		}
	}
	err := d.History.Drop(ctx, twins, len(twins))
	return slices.DeleteFunc(all, twin), err
}
