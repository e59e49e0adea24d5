package deployment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

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

// withLabel returns set with one label more.
func withLabel(set map[string]string, name, value string) map[string]string {
	more := map[string]string{name: value}
	for k, v := range set {
		if k != name {
			more[k] = v
		}
	}
	return more
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

// tellStarted tells of the new ReplicaSet, which was created with so many
// replicas.
func (r *Rollout) tellStarted(replicas int32) {
	if replicas > 0 {
		r.Eventf(corev1.EventTypeNormal, "ScalingReplicaSet",
			"Scaled up replica set %s from 0 to %d", r.New.Name, replicas)
	}
	r.progressing(corev1.ConditionTrue, "NewReplicaSetCreated",
		fmt.Sprintf("Created new replica set %q", r.New.Name))
}

func (r *Rollout) tellScaled(rs *appsv1.ReplicaSet, was, replicas int32) {
	direction := "up"
	if replicas < was {
		direction = "down"
	}
	r.Eventf(corev1.EventTypeNormal, "ScalingReplicaSet",
		"Scaled %s replica set %s from %d to %d", direction, rs.Name, was, replicas)
}
