package deployment

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// report writes the status, if it is not what the store has already.
func (r *Rollout) report(
	ctx context.Context, stored controlloop.Object, outcome Outcome,
) error {
	status := r.status(outcome.MaxUnavailable)
	judge := outcome.Judge
	if judge == nil {
		judge = Progress
	}
	judge(r, &status)
	r.Deployment.Status = status
	if equality.Semantic.DeepEqual(r.Deployment, stored) {
		return nil
	}
	_, err := r.Client().UpdateStatus(ctx, r.Deployment)
	return err
}

// status adds up what the ReplicaSets say of their Pods. A Deployment does not
// count Pods: two loops, each with one question.
func (r *Rollout) status(maxUnavailable int32) appsv1.DeploymentStatus {
	d := r.Deployment
	status := appsv1.DeploymentStatus{
		ObservedGeneration:  d.Generation,
		CollisionCount:      d.Status.CollisionCount,
		TerminatingReplicas: new(int32),
		Conditions:          slices.Clone(d.Status.Conditions),
	}
	var wanted int32
	for _, rs := range r.All() {
		wanted += *rs.Spec.Replicas
		status.Replicas += rs.Status.Replicas
		status.ReadyReplicas += rs.Status.ReadyReplicas
		status.AvailableReplicas += rs.Status.AvailableReplicas
		if t := rs.Status.TerminatingReplicas; t != nil {
			*status.TerminatingReplicas += *t
		}
	}
	if r.New != nil {
		status.UpdatedReplicas = r.New.Status.Replicas
	}
	status.UnavailableReplicas = max(0, wanted-status.AvailableReplicas)
	setAvailable(&status, *d.Spec.Replicas-maxUnavailable)
	return status
}

// setAvailable sets the condition Available: at least that many
// Pods can do their work.
func setAvailable(status *appsv1.DeploymentStatus, atLeast int32) {
	if status.AvailableReplicas >= atLeast {
		SetCondition(status, appsv1.DeploymentAvailable, corev1.ConditionTrue,
			"MinimumReplicasAvailable", "Deployment has minimum availability.")
		return
	}
	SetCondition(status, appsv1.DeploymentAvailable, corev1.ConditionFalse,
		"MinimumReplicasUnavailable",
		"Deployment does not have minimum availability.")
}

// Complete reports whether all Pods are of the current template, available, and
// as many as are wanted, and status speaks of the Deployment as it is now.
func Complete(d *appsv1.Deployment, status *appsv1.DeploymentStatus) bool {
	want := *d.Spec.Replicas
	return status.UpdatedReplicas == want && status.Replicas == want &&
		status.AvailableReplicas == want &&
		status.ObservedGeneration >= d.Generation
}
