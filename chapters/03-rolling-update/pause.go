package rollingupdate

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	deployment "reconcile/chapters/02-deployment"
)

// notePause notes on a Deployment that it was told to stop, or to go on. Time
// spent waiting for a person is not time without progress. A rollout that was
// stuck before stays stuck.
func notePause(d *appsv1.Deployment) {
	if !deployment.Watched(d) {
		return
	}
	reason := ""
	c := deployment.FindCondition(&d.Status, appsv1.DeploymentProgressing)
	if c != nil {
		reason = c.Reason
	}
	switch {
	case reason == timedOut:
	case d.Spec.Paused && reason != paused:
		deployment.SetCondition(&d.Status, appsv1.DeploymentProgressing,
			corev1.ConditionUnknown, paused, "Deployment is paused")
	case !d.Spec.Paused && reason == paused:
		deployment.SetCondition(&d.Status, appsv1.DeploymentProgressing,
			corev1.ConditionUnknown, resumed, "Deployment is resumed")
	}
}
