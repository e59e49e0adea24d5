package daemonset

import (
	"cmp"
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// revise finds or makes the revision of a set's template, if the set is another
// than its pages were read by, or there is doubt. All pages are read again then.
// It reports whether the revision is known: if not, Pods that are about to
// change bring the set back.
func (d *DaemonSets) revise(
	ctx context.Context, l *ledger, ds *appsv1.DaemonSet,
) (known bool, _ error) {
	same := l.edition != nil && l.edition.set.Generation == ds.Generation
	if !l.doubted.Swap(false) && same {
		return true, nil
	}
	now, all, err := d.revisions(ctx, ds)
	if err != nil || now == nil {
		l.doubted.Store(true)
		return false, err
	}
	l.history, l.edition = all, newEdition(ds, hashOf(now))
	d.markAll(l, ds)
	return true, nil
}

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

// hashOf is what the Pods of a revision bear. One that was made before revisions
// had it has its name for it.
func hashOf(r *appsv1.ControllerRevision) string {
	return cmp.Or(r.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], r.Name)
}

// dropRevisions deletes the oldest revisions beyond the limit, but for those that
// some Pod is of. (Kubernetes: cleanupHistory.)
func (d *DaemonSets) dropRevisions(
	ctx context.Context, l *ledger, ds *appsv1.DaemonSet,
) error {
	var idle []*appsv1.ControllerRevision
	old := 0
	for _, r := range l.history {
		if hashOf(r) == l.edition.hash {
			continue
		}
		if old++; l.versions[hashOf(r)] == 0 {
			idle = append(idle, r)
		}
	}
	n := min(len(idle), max(0, old-int(*ds.Spec.RevisionHistoryLimit)))
	if err := d.History.Drop(ctx, idle, n); err != nil {
		return err
	}
	l.history = slices.DeleteFunc(l.history,
		func(r *appsv1.ControllerRevision) bool {
			return slices.Contains(idle[:n], r)
		})
	return nil
}
