package rollingupdate

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// Revision is a template that a Deployment had or has.
type Revision struct {
	Number      int64
	ChangeCause string // as noted by a person; "": no note
	Template    corev1.PodTemplateSpec
}

// History returns the revisions of a Deployment that are still kept, the
// current one last. It is what kubectl rollout history shows.
func History(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
) ([]Revision, error) {
	_, sets, err := setsOf(ctx, c, key)
	if err != nil {
		return nil, err
	}
	var all []Revision
	for _, rs := range sets {
		all = append(all, Revision{
			Number:      revisionOf(rs),
			ChangeCause: rs.Annotations[ChangeCauseAnnotation],
			Template:    rs.Spec.Template,
		})
	}
	return all, nil
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
