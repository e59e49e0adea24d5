package daemonset

import (
	"cmp"
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// revisions returns that of a set's template, and all that the set has; nil
// while Pods are told of another.
func (d *DaemonSets) revisions(
	ctx context.Context, ds *appsv1.DaemonSet,
) (now *appsv1.ControllerRevision, all []*appsv1.ControllerRevision, err error) {
	all, err = d.History.Of(ctx, ds, deployment.SelectorOf(ds.Spec.Selector))
	if err != nil {
		return nil, nil, err
	}
	now, err = d.History.Now(ctx, ds, &ds.Spec.Template, all)
	if err != nil {
		return nil, nil, err
	}
	all, done, err := d.unite(ctx, ds, now, all)
	if !done {
		return nil, nil, err
	}
	return now, all, nil
}

// hashOf returns what the Pods of a revision bear. One that was made before
// revisions had it has its name for it.
func hashOf(r *appsv1.ControllerRevision) string {
	return cmp.Or(r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], r.Name)
}

// dropRevisions deletes the oldest revisions beyond the limit, but for those
// that some Pod is of. (Kubernetes: cleanupHistory.)
func (d *DaemonSets) dropRevisions(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet,
) error {
	var idle []*appsv1.ControllerRevision
	old := 0
	for _, r := range s.history {
		if hashOf(r) == s.edition.hash {
			continue
		}
		if old++; s.versions[hashOf(r)] == 0 {
			idle = append(idle, r)
		}
	}
	n := min(len(idle), max(0, old-int(*ds.Spec.RevisionHistoryLimit)))
	if err := d.History.Drop(ctx, idle, n); err != nil {
		return err
	}
	s.history = slices.DeleteFunc(s.history,
		func(r *appsv1.ControllerRevision) bool {
			return slices.Contains(idle[:n], r)
		})
	return nil
}
