package deployment

import (
	"fmt"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Progress says whether a rollout goes on or has arrived. It compares the
// status that is about to be written with the one before. (Kubernetes:
// pkg/controller/deployment/progress.go.)
func Progress(r *Rollout, status *appsv1.DeploymentStatus) {
	r.passOnFailure(status)
	if !Watched(r.Deployment) {
		dropCondition(status, appsv1.DeploymentProgressing)
		return
	}
	was := FindCondition(status, appsv1.DeploymentProgressing)
	if was == nil && r.New != nil {
		SetCondition(status, appsv1.DeploymentProgressing, corev1.ConditionTrue,
			"FoundNewReplicaSet", fmt.Sprintf("Found new replica set %q", r.New.Name))
		was = FindCondition(status, appsv1.DeploymentProgressing)
	}
	arrived := was != nil && was.Reason == "NewReplicaSetAvailable" &&
		status.Replicas == status.UpdatedReplicas
	switch {
	case arrived:
	case Complete(r.Deployment, status):
		SetCondition(status, appsv1.DeploymentProgressing, corev1.ConditionTrue,
			"NewReplicaSetAvailable", r.Subject()+" has successfully progressed.")
	case moved(r.Deployment.Status, *status):
		moving(status, r.Subject()+" is progressing.")
	}
}

// Unjudged does nothing. It is the Judge of a rollout that is not expected to
// get on: one on its way out, or one that waits for a person.
func Unjudged(*Rollout, *appsv1.DeploymentStatus) {}

// Subject returns the name that messages give to the object that makes
// progress.
func (r *Rollout) Subject() string {
	if r.New != nil {
		return fmt.Sprintf("ReplicaSet %q", r.New.Name)
	}
	return fmt.Sprintf("Deployment %q", r.Deployment.Name)
}

// moved reports whether anything got better: more new Pods, fewer old ones,
// more that are ready or available.
func moved(was, is appsv1.DeploymentStatus) bool {
	return is.UpdatedReplicas > was.UpdatedReplicas ||
		is.Replicas-is.UpdatedReplicas < was.Replicas-was.UpdatedReplicas ||
		is.ReadyReplicas > was.ReadyReplicas ||
		is.AvailableReplicas > was.AvailableReplicas
}

// moving notes progress. Unlike other conditions this one is written again when
// only its time changes: that is its purpose.
func moving(status *appsv1.DeploymentStatus, message string) {
	since := controlloop.Now()
	was := FindCondition(status, appsv1.DeploymentProgressing)
	if was != nil && was.Status == corev1.ConditionTrue {
		since = was.LastTransitionTime
	}
	dropCondition(status, appsv1.DeploymentProgressing)
	status.Conditions = append(status.Conditions, appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue,
		LastUpdateTime: controlloop.Now(), LastTransitionTime: since,
		Reason: "ReplicaSetUpdated", Message: message,
	})
}

// passOnFailure takes over the condition in which a ReplicaSet says what keeps
// it from making or deleting Pods; the new ReplicaSet's word counts for more.
func (r *Rollout) passOnFailure(status *appsv1.DeploymentStatus) {
	sets := r.All()
	slices.Reverse(sets)
	for _, rs := range sets {
		for _, c := range rs.Status.Conditions {
			if c.Type == appsv1.ReplicaSetReplicaFailure {
				SetCondition(status, appsv1.DeploymentReplicaFailure,
					c.Status, c.Reason, c.Message)
				return
			}
		}
	}
	dropCondition(status, appsv1.DeploymentReplicaFailure)
}

// progressing sets the condition Progressing, if the Deployment has a deadline.
func (r *Rollout) progressing(
	value corev1.ConditionStatus, reason, message string,
) {
	if Watched(r.Deployment) {
		SetCondition(&r.Deployment.Status, appsv1.DeploymentProgressing,
			value, reason, message)
	}
}

// Watched reports whether the progress of a Deployment is of
// interest: it has a deadline.
func Watched(d *appsv1.Deployment) bool {
	deadline := d.Spec.ProgressDeadlineSeconds
	return deadline != nil && *deadline != math.MaxInt32
}

// FindCondition returns the condition of that type, or nil.
func FindCondition(
	status *appsv1.DeploymentStatus, want appsv1.DeploymentConditionType,
) *appsv1.DeploymentCondition {
	return controlloop.Find(status.Conditions,
		func(c appsv1.DeploymentCondition) bool { return c.Type == want })
}

// SetCondition puts a condition last. One that has the same status and reason
// already stays as it is; while the status is the same, so does the time of the
// last transition.
func SetCondition(
	status *appsv1.DeploymentStatus, t appsv1.DeploymentConditionType,
	value corev1.ConditionStatus, reason, message string,
) {
	next := appsv1.DeploymentCondition{
		Type: t, Status: value, Reason: reason, Message: message,
		LastUpdateTime: controlloop.Now(), LastTransitionTime: controlloop.Now(),
	}
	if was := FindCondition(status, t); was != nil {
		if was.Status == value && was.Reason == reason {
			return
		}
		if was.Status == value {
			next.LastTransitionTime = was.LastTransitionTime
		}
	}
	dropCondition(status, t)
	status.Conditions = append(status.Conditions, next)
}

func dropCondition(
	status *appsv1.DeploymentStatus, t appsv1.DeploymentConditionType,
) {
	status.Conditions = slices.DeleteFunc(status.Conditions,
		func(c appsv1.DeploymentCondition) bool { return c.Type == t })
}
