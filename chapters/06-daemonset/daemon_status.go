package daemonset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// updateStatus writes the counts of all nodes into the set's status, if they
// differ, and which generation of its spec has been acted upon. (Kubernetes:
// storeDaemonSetStatus.)
func (d *DaemonSets) updateStatus(
	ctx context.Context, r *rollout, nodes []nodePods, acted int64,
) error {
	next := controlloop.Copy(r.set)
	next.Status.ObservedGeneration = acted
	r.count(nodes, &next.Status)
	if equality.Semantic.DeepEqual(next.Status, r.set.Status) {
		return nil
	}
	_, err := d.Client.UpdateStatus(ctx, next)
	return err
}

// count counts nodes and their Pods. Of several Pods on a node the first counts.
// (Kubernetes: updateDaemonSetStatus.)
func (r *rollout) count(nodes []nodePods, s *appsv1.DaemonSetStatus) {
	var desired, current, misscheduled, ready, updated, available int32
	for _, n := range nodes {
		if n.shouldRun {
			desired++
		}
		if n.node == nil || len(n.pods) == 0 {
			continue
		}
		if !n.shouldRun {
			misscheduled++
			continue
		}
		current++
		if controlloop.IsReady(n.pods[0]) {
			ready++
		}
		if r.isAvailable(n.pods[0]) {
			available++
		}
		if r.isUpdated(n.pods[0]) {
			updated++
		}
	}
	s.DesiredNumberScheduled, s.CurrentNumberScheduled = desired, current
	s.NumberMisscheduled, s.NumberReady = misscheduled, ready
	s.UpdatedNumberScheduled = updated
	s.NumberAvailable, s.NumberUnavailable = available, desired-available
}
