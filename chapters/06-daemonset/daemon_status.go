package daemonset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// counts is what a node counts for, or all nodes together: in the set's status,
// and in an update.
type counts struct {
	desired, current, misscheduled, ready, updated, available int

	updating int // is one of those that maxUnavailable or maxSurge allow
	serving  int // has an available Pod, whether it should run one or not
}

// add adds other counts n times.
func (c *counts) add(d counts, n int) {
	c.desired += n * d.desired
	c.current += n * d.current
	c.misscheduled += n * d.misscheduled
	c.ready += n * d.ready
	c.updated += n * d.updated
	c.available += n * d.available
	c.updating += n * d.updating
	c.serving += n * d.serving
}

// count says what a node counts for, given what an update makes of it. Of
// several Pods the first counts. (Kubernetes: updateDaemonSetStatus.)
func (r *rollout) count(n nodePods, state updateState) (c counts) {
	c.updating, c.serving = r.countUpdate(n, state)
	if n.node == nil {
		return c
	}
	if !n.shouldRun {
		c.misscheduled = min(1, len(n.pods))
		return c
	}
	c.desired, c.current = 1, min(1, len(n.pods))
	if c.current == 0 {
		return c
	}
	pod := n.pods[0]
	c.ready = one(controlloop.IsReady(pod))
	c.available = one(r.isAvailable(pod))
	c.updated = one(r.isUpdated(pod))
	return c
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// updateStatus writes the totals into the set's status, if it differs. A generation
// is observed once it has been acted upon, and not before. (Kubernetes:
// storeDaemonSetStatus.)
func (d *DaemonSets) updateStatus(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet, acted bool,
) error {
	status := *ds.Status.DeepCopy()
	status.DesiredNumberScheduled = int32(s.total.desired)
	status.CurrentNumberScheduled = int32(s.total.current)
	status.NumberMisscheduled = int32(s.total.misscheduled)
	status.NumberReady = int32(s.total.ready)
	status.UpdatedNumberScheduled = int32(s.total.updated)
	status.NumberAvailable = int32(s.total.available)
	status.NumberUnavailable = int32(s.total.desired - s.total.available)
	if acted {
		status.ObservedGeneration = ds.Generation
	}
	if equality.Semantic.DeepEqual(status, ds.Status) {
		return nil
	}
	next := controlloop.Copy(ds)
	next.Status = status
	_, err := d.Client.UpdateStatus(ctx, next)
	return err
}
