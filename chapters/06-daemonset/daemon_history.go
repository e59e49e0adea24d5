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
func (d *DaemonSets) revise(
	ctx context.Context, l *ledger, ds *appsv1.DaemonSet,
) error {
	same := l.edition != nil && l.edition.set.Generation == ds.Generation
	if !l.doubted.Swap(false) && same {
		return nil
	}
	all, err := d.History.Of(ctx, ds, deployment.SelectorOf(ds.Spec.Selector))
	if err != nil {
		l.doubted.Store(true)
		return err
	}
	now, err := d.History.Now(ctx, ds, &ds.Spec.Template, all)
	if err != nil {
		l.doubted.Store(true)
		return err
	}
	if all, err = d.unite(ctx, ds, now, all); err != nil {
		l.doubted.Store(true)
		return err
	}
	l.history, l.edition = all, newEdition(ds, hashOf(now))
	d.markAll(l, ds)
	return nil
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
