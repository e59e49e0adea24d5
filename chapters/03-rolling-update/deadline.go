package rollingupdate

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	deployment "reconcile/chapters/02-deployment"
)

// These are the reasons of the condition Progressing that decide something.
const (
	paused   = "DeploymentPaused"
	resumed  = "DeploymentResumed"
	timedOut = "ProgressDeadlineExceeded"
	arrived  = "NewReplicaSetAvailable"
)

// judge writes how a rollout progresses: as deployment.Progress does and, when
// it has said nothing new for too long, that it is stuck. Nothing follows from
// that; a person has to read it. (Kubernetes:
// pkg/controller/deployment/progress.go.)
func judge(r *deployment.Rollout, status *appsv1.DeploymentStatus) {
	deployment.Progress(r, status)
	if left, runs := untilStuck(r.Deployment, status); runs && left < 0 {
		deployment.SetCondition(status, appsv1.DeploymentProgressing,
			corev1.ConditionFalse, timedOut,
			r.Subject()+" has timed out progressing.")
	}
}

// untilStuck returns how long a rollout may go on without progress before it is
// stuck; a negative time if it is. The clock does not run (false) for one that
// has no deadline, has arrived, or is known to be stuck.
//
//book:exercise 3f
func untilStuck(
	d *appsv1.Deployment, status *appsv1.DeploymentStatus,
) (left time.Duration, runs bool) {
	c := deployment.FindCondition(status, appsv1.DeploymentProgressing)
	if c == nil || !deployment.Watched(d) ||
		c.Reason == arrived || c.Reason == timedOut {
		return 0, false
	}
	deadline := time.Duration(*d.Spec.ProgressDeadlineSeconds) * time.Second
	return time.Until(c.LastUpdateTime.Add(deadline)), true
}

// nextJudgement returns when to reconcile a rollout again though nothing has
// happened: it is stuck precisely when nothing does. A second after the
// deadline it is over.
func nextJudgement(d *appsv1.Deployment) time.Duration {
	left, runs := untilStuck(d, &d.Status)
	if !runs || left < 0 {
		return 0
	}
	return left + time.Second
}
