package deployment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Rollout is a Deployment as it was found at one look, with its ReplicaSets,
// and with the steps that a Strategy can take.
type Rollout struct {
	Deployment *appsv1.Deployment   // a copy: what a step changes here is stored
	New        *appsv1.ReplicaSet   // that of the current template; nil: none yet
	Old        []*appsv1.ReplicaSet // all others, the oldest first

	controller *Deployments
}

// newRollout sorts a Deployment's ReplicaSets into new and old. Should two have
// the current template, the older is the new one, at every look.
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

// OlderFirst orders objects by their age, and those of the same age by name.
func OlderFirst[T metav1.Object](a, b T) int {
	was := b.GetCreationTimestamp()
	return cmp.Or(a.GetCreationTimestamp().Compare(was.Time),
		cmp.Compare(a.GetName(), b.GetName()))
}

// All returns the old ReplicaSets and the new one, if there is one.
func (r *Rollout) All() []*appsv1.ReplicaSet {
	if r.New == nil {
		return slices.Clone(r.Old)
	}
	return append(slices.Clone(r.Old), r.New)
}

// Pods returns the Pods of a ReplicaSet.
func (r *Rollout) Pods(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return r.controller.podsOf(rs)
}

// Client returns the client for what a strategy does beyond scaling.
func (r *Rollout) Client() controlloop.Client { return r.controller.Client }

// Eventf notes an event about the Deployment.
func (r *Rollout) Eventf(eventtype, reason, format string, args ...any) {
	r.controller.Recorder.Eventf(r.Deployment, eventtype, reason, format, args...)
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
	if replicas > 0 {
		r.Eventf(corev1.EventTypeNormal, "ScalingReplicaSet",
			"Scaled up replica set %s from 0 to %d", rs.Name, replicas)
	}
	r.progressing(corev1.ConditionTrue, "NewReplicaSetCreated",
		fmt.Sprintf("Created new replica set %q", rs.Name))
	return nil
}

// newSet returns the ReplicaSet of the current template. Its name follows from
// the template: a controller that makes it a second time finds it taken.
func (r *Rollout) newSet(replicas int32) *appsv1.ReplicaSet {
	d := r.Deployment
	template := d.Spec.Template.DeepCopy()
	hash := TemplateHash(template, d.Status.CollisionCount)
	template.Labels = withLabel(template.Labels, hashLabel, hash)
	selector := d.Spec.Selector.DeepCopy()
	selector.MatchLabels = withLabel(selector.MatchLabels, hashLabel, hash)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:      d.Name + "-" + hash,
			Namespace: d.Namespace,
			Labels:    maps.Clone(template.Labels),
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(d, DeploymentKind),
			},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas:        &replicas,
			MinReadySeconds: d.Spec.MinReadySeconds,
			Selector:        selector,
			Template:        *template,
		},
	}
}

// taken finds out which object has the name of the ReplicaSet that was to be
// created. It may be the one we want: made by us, and not in our cache yet. Or
// another template has the same hash; then the next try is under another name.
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
	status := &r.Deployment.Status
	if status.CollisionCount == nil {
		status.CollisionCount = new(int32)
	}
	*status.CollisionCount++
	if _, err := r.Client().UpdateStatus(ctx, r.Deployment); err != nil {
		return err
	}
	return err // 409 AlreadyExists: once more, with another hash
}

// cannotCreate says in the Deployment's status why there is no new ReplicaSet;
// a user looks for it there.
func (r *Rollout) cannotCreate(ctx context.Context, name string, err error) error {
	message := fmt.Sprintf("Failed to create new replica set %q: %v", name, err)
	r.Eventf(corev1.EventTypeWarning, "ReplicaSetCreateError", "%s", message)
	r.progressing(corev1.ConditionFalse, "ReplicaSetCreateError", message)
	// Should this fail too, the first error is the one to report.
	_, _ = r.Client().UpdateStatus(ctx, r.Deployment)
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
	direction := "up"
	if replicas < was {
		direction = "down"
	}
	r.Eventf(corev1.EventTypeNormal, "ScalingReplicaSet",
		"Scaled %s replica set %s from %d to %d", direction, rs.Name, was, replicas)
	return true, nil
}

// Update stores a changed copy of one of r's ReplicaSets.
func (r *Rollout) Update(ctx context.Context, next *appsv1.ReplicaSet) error {
	stored, err := r.Client().Update(ctx, next)
	if err != nil {
		return err
	}
	rs := stored.(*appsv1.ReplicaSet)
	if r.New != nil && r.New.UID == rs.UID {
		r.New = rs
	}
	for i, old := range r.Old {
		if old.UID == rs.UID {
			r.Old[i] = rs
		}
	}
	return nil
}
