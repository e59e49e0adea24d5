package rollingupdate

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fencePosts turns what a Deployment says about its bounds into numbers of
// Pods. A percentage is one of the replicas: of maxSurge rounded up, of
// maxUnavailable rounded down. (Kubernetes: ResolveFenceposts in
// pkg/controller/deployment/util/deployment_util.go.)
//
//	replicas  maxSurge  maxUnavailable
//	10        25% → 3   25% → 2
//	3         25% → 1   25% → 0
//	3         0%  → 0   1%  → 0, so 1: something has to move
//
//book:exercise 3a
func fencePosts(
	rolling *appsv1.RollingUpdateDeployment, replicas int32,
) (maxSurge, maxUnavailable int32) {
	if rolling != nil {
		maxSurge = podsOf(rolling.MaxSurge, replicas, true)
		maxUnavailable = podsOf(rolling.MaxUnavailable, replicas, false)
	}
	if maxSurge == 0 && maxUnavailable == 0 {
		maxUnavailable = 1
	}
	return maxSurge, maxUnavailable
}

// podsOf returns a number of Pods, or a share of the replicas. A value that is
// neither was refused when the Deployment was written.
func podsOf(part *intstr.IntOrString, replicas int32, roundUp bool) int32 {
	if part == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(part, int(replicas), roundUp)
	if err != nil {
		return 0
	}
	return int32(n)
}

// boundsOf returns how many Pods more than it wants, and how many fewer, a
// Deployment can bear. One that recreates has no use for either number.
func boundsOf(d *appsv1.Deployment) (maxSurge, maxUnavailable int32) {
	if !rolls(d) {
		return 0, 0
	}
	return fencePosts(d.Spec.Strategy.RollingUpdate, *d.Spec.Replicas)
}

func rolls(d *appsv1.Deployment) bool {
	return d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType
}
