package rollingupdate

import (
	"context"
	"errors"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// Undo puts the template of an earlier revision back into a Deployment; of
// revision 0: of the last before the current one. That is an edit like any
// other. It returns what kubectl rollout undo says of it.
func Undo(
	ctx context.Context, c controlloop.Client, key controlloop.Key, revision int64,
) (string, error) {
	d, sets, err := setsOf(ctx, c, key)
	if err != nil {
		return "", err
	}
	rs, err := target(d, sets, revision)
	if err != nil {
		return "", err
	}
	if d.Spec.Paused {
		return "", errors.New("you cannot rollback a paused deployment; " +
			"resume it first with 'kubectl rollout resume' and try again")
	}
	next := restored(d, rs)
	if equality.Semantic.DeepEqual(next.Spec, d.Spec) {
		return fmt.Sprintf("skipped rollback (current template already matches "+
			"revision %d)", revision), nil
	}
	if _, err := c.Update(ctx, next); err != nil {
		if apierrors.IsConflict(err) {
			return Undo(ctx, c, key, revision) // somebody was faster
		}
		return "", fmt.Errorf("failed restoring revision %d: %w", revision, err)
	}
	return "rolled back", nil
}

// target returns the ReplicaSet of a revision; of revision 0, that with the
// highest number but one. The sets are sorted by number.
//
//book:exercise 3.4
func target(
	d *appsv1.Deployment, sets []*appsv1.ReplicaSet, revision int64,
) (*appsv1.ReplicaSet, error) {
	if revision == 0 {
		if len(sets) < 2 {
			return nil, fmt.Errorf("no rollout history found for deployment %q", d.Name)
		}
		return sets[len(sets)-2], nil
	}
	for _, rs := range sets {
		if revisionOf(rs) == revision {
			return rs, nil
		}
	}
	return nil, fmt.Errorf("unable to find specified revision %v in history", revision)
}

// restored is a Deployment with the template and the notes of a ReplicaSet. What
// only the Deployment knows about itself, it keeps.
func restored(d *appsv1.Deployment, rs *appsv1.ReplicaSet) *appsv1.Deployment {
	next := controlloop.Copy(d)
	next.Spec.Template = *rs.Spec.Template.DeepCopy()
	delete(next.Spec.Template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	maps.DeleteFunc(next.Annotations, func(name, _ string) bool {
		return !notCopied.Has(name)
	})
	inherit(&next.ObjectMeta, &rs.ObjectMeta)
	return next
}
