package rollingupdate

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

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
