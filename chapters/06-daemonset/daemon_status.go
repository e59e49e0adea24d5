package daemonset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// tally is what a node counts for, or what all of them do: in the set's status,
// and in an update.
type tally struct {
	desired, current, misscheduled, ready, updated, available int

	busy    int // takes up one of those that an update may have in work
	working int // has a Pod that works, be it meant or not
}

// add adds another tally n times.
func (t *tally) add(u tally, n int) {
	t.desired += n * u.desired
	t.current += n * u.current
	t.misscheduled += n * u.misscheduled
	t.ready += n * u.ready
	t.updated += n * u.updated
	t.available += n * u.available
	t.busy += n * u.busy
	t.working += n * u.working
}

// count says what a node counts for, given what an update makes of it. Of
// several Pods the first is looked at. (Kubernetes: updateDaemonSetStatus.)
func (e *edition) count(p spot, in turn) (t tally) {
	t.busy, t.working = e.inUpdate(p, in)
	if p.node == nil {
		return t
	}
	if !p.meant {
		t.misscheduled = min(1, len(p.pods))
		return t
	}
	t.desired, t.current = 1, min(1, len(p.pods))
	if t.current == 0 {
		return t
	}
	pod := p.pods[0]
	t.ready = one(controlloop.IsReady(pod))
	t.available = one(e.isAvailable(pod))
	t.updated = one(e.isUpdated(pod))
	return t
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// report writes the sums into the set's status, if they are news. A generation
// is observed when it was acted upon, and not before.
func (d *DaemonSets) report(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet, acted bool,
) error {
	status := *ds.Status.DeepCopy()
	status.DesiredNumberScheduled = int32(s.sum.desired)
	status.CurrentNumberScheduled = int32(s.sum.current)
	status.NumberMisscheduled = int32(s.sum.misscheduled)
	status.NumberReady = int32(s.sum.ready)
	status.UpdatedNumberScheduled = int32(s.sum.updated)
	status.NumberAvailable = int32(s.sum.available)
	status.NumberUnavailable = int32(s.sum.desired - s.sum.available)
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
