package rollingupdate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// Undo puts the template of an earlier revision back into a Deployment; of
// revision 0: of the last before the current one. That is an edit like any
// other. It returns what kubectl rollout undo says in this case.
func Undo(
	ctx context.Context, c controlloop.Client, key controlloop.Key, revision int64,
) (string, error) {
	said := "rolled back"
	err := edit(ctx, c, key, func(
		d *appsv1.Deployment, sets []*appsv1.ReplicaSet,
	) (*appsv1.Deployment, error) {
		rs, err := target(d, sets, revision)
		if err != nil {
			return nil, err
		}
		if d.Spec.Paused {
			return nil, errors.New("you cannot rollback a paused deployment; " +
				"resume it first with 'kubectl rollout resume' and try again")
		}
		next := restored(d, rs)
		if equality.Semantic.DeepEqual(next.Spec, d.Spec) {
			said = fmt.Sprintf("skipped rollback (current template already "+
				"matches revision %d)", revision)
			return nil, nil
		}
		return next, nil
	})
	if err != nil {
		return "", err
	}
	return said, nil
}

// tries is how often an edit is made before it gives up because others were
// faster each time: as often as by client-go (util/retry, DefaultRetry).
const tries = 5

// edit stores what change makes of a Deployment, which has these ReplicaSets,
// the lowest numbers first. If change returns nil, there is nothing to store.
func edit(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
	change func(
		*appsv1.Deployment, []*appsv1.ReplicaSet,
	) (*appsv1.Deployment, error),
) (conflict error) {
	for range tries {
		d, sets, err := setsOf(ctx, c, key)
		if err != nil {
			return err
		}
		next, err := change(d, sets)
		if err != nil || next == nil {
			return err
		}
		_, conflict = c.Update(ctx, next)
		if !apierrors.IsConflict(conflict) {
			return conflict
		}
	}
	return conflict
}

// setsOf reads a Deployment and its ReplicaSets, those of low numbers first.
func setsOf(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
) (*appsv1.Deployment, []*appsv1.ReplicaSet, error) {
	obj, err := c.Get(ctx, deployment.DeploymentKind, key)
	if err != nil {
		return nil, nil, err
	}
	d := obj.(*appsv1.Deployment)
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return nil, nil, err
	}
	list, err := c.List(ctx, deployment.ReplicaSetKind, controlloop.ListOptions{
		Namespace: key.Namespace, Labels: selector,
	})
	if err != nil {
		return nil, nil, err
	}
	var sets []*appsv1.ReplicaSet
	for _, item := range list.Items {
		if rs := item.(*appsv1.ReplicaSet); metav1.IsControlledBy(rs, d) {
			sets = append(sets, rs)
		}
	}
	slices.SortFunc(sets, byRevision)
	return d, sets, nil
}
