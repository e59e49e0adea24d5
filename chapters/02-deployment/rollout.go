package deployment

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Rollout is a Deployment as one reconcile found it, with its ReplicaSets,
// and with the steps that a Strategy can take.
type Rollout struct {
	Deployment *appsv1.Deployment   // a copy: what a step changes here is stored
	New        *appsv1.ReplicaSet   // that of the current template; nil: none yet
	Old        []*appsv1.ReplicaSet // all others, the oldest first

	controller *Deployments
}

// newRollout sorts a Deployment's ReplicaSets into new and old. Should two have
// the current template, the older is the new one, every time.
func (d *Deployments) newRollout(
	dep *appsv1.Deployment, sets []*appsv1.ReplicaSet,
) *Rollout {
	r := &Rollout{Deployment: dep, controller: d}
	for _, rs := range slices.SortedFunc(slices.Values(sets), OlderFirst) {
		if r.New == nil && sameTemplate(&rs.Spec.Template, &dep.Spec.Template) {
			r.New = rs
		} else {
			r.Old = append(r.Old, rs)
		}
	}
	return r
}

// Start creates the ReplicaSet of the current template.
func (r *Rollout) Start(ctx context.Context, replicas int32) error {
	rs := r.newSet(replicas)
	r.controller.Stamp(r, rs)
	created, err := r.Client().Create(ctx, rs)
	if apierrors.IsAlreadyExists(err) {
		return r.taken(ctx, rs.Name, err)
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return err // not worth telling: the Deployment will be deleted
	}
	if err != nil {
		return r.cannotCreate(ctx, rs.Name, err)
	}
	r.New = created.(*appsv1.ReplicaSet)
	r.tellStarted(replicas)
	return nil
}

// taken finds out which object has the name of the ReplicaSet that was to be
// created. It may be the one we want: made by us, and not in our cache yet. Or
// another template has the same hash.
func (r *Rollout) taken(ctx context.Context, name string, err error) error {
	key := controlloop.Key{Namespace: r.Deployment.Namespace, Name: name}
	obj, getErr := r.Client().Get(ctx, ReplicaSetKind, key)
	if getErr != nil {
		return getErr
	}
	rs := obj.(*appsv1.ReplicaSet)
	if metav1.IsControlledBy(rs, r.Deployment) &&
		sameTemplate(&rs.Spec.Template, &r.Deployment.Spec.Template) {
		r.New = rs
		return nil
	}
	return r.collided(ctx, err)
}

// collided counts a collision in the Deployment's status. It returns err, so
// that the next try comes, under another name.
func (r *Rollout) collided(ctx context.Context, err error) error {
	status := &r.Deployment.Status
	if status.CollisionCount == nil {
		status.CollisionCount = new(int32)
	}
	*status.CollisionCount++
	if _, err := r.Client().UpdateStatus(ctx, r.Deployment); err != nil {
		return err
	}
	return err
}

// Scale makes a ReplicaSet want that many Pods, and reports whether it did not
// before. r has the ReplicaSet as it is then.
func (r *Rollout) Scale(
	ctx context.Context, rs *appsv1.ReplicaSet, replicas int32,
) (bool, error) {
	was := *rs.Spec.Replicas
	if was == replicas {
		return false, nil
	}
	next := controlloop.Copy(rs)
	next.Spec.Replicas = &replicas
	r.controller.Stamp(r, next)
	if err := r.Update(ctx, next); err != nil {
		return false, fmt.Errorf("scale %s from %d to %d: %w",
			controlloop.KeyOf(rs), was, replicas, err)
	}
	r.tellScaled(rs, was, replicas)
	return true, nil
}
