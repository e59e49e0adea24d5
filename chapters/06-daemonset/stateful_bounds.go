package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	deployment "reconcile/chapters/02-deployment"
)

func isRollingUpdate(set *appsv1.StatefulSet) bool {
	return set.Spec.UpdateStrategy.Type ==
		appsv1.RollingUpdateStatefulSetStrategyType
}

// placeOf returns how many of a set's Pods come before that of an ordinal.
func placeOf(set *appsv1.StatefulSet, ordinal int) int {
	if from := set.Spec.Ordinals; from != nil {
		ordinal -= int(from.Start)
	}
	return ordinal
}

// currentUpTo returns how many of a set's Pods, from the first, are created at the
// current version: the partition. A set without a rollingUpdate has none; then they
// are as many as its status counts. In Parallel they are none: a Pod that does not
// become available would be created and deleted for ever.
func currentUpTo(set *appsv1.StatefulSet) int {
	switch rolling := set.Spec.UpdateStrategy.RollingUpdate; {
	case rolling != nil:
		return int(*rolling.Partition)
	case isParallel(set):
		return 0
	}
	return int(set.Status.CurrentReplicas)
}

func isParallel(set *appsv1.StatefulSet) bool {
	return set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
}

// partition returns how many of a set's Pods, from the first, are not updated.
func partition(set *appsv1.StatefulSet) int {
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		return int(*rolling.Partition)
	}
	return 0
}

// maxUnavailable returns how many Pods of a set may be unavailable in an update: at
// least one, or it would never begin. (Kubernetes: getStatefulSetMaxUnavailable in
// pkg/controller/statefulset/stateful_set_utils.go.)
func maxUnavailable(set *appsv1.StatefulSet) int {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return 1
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(
		rolling.MaxUnavailable, int(*set.Spec.Replicas), false)
	if err != nil {
		return 1 // it is not set; what is no number was refused at the door
	}
	return max(1, n)
}

// unavailablePods returns how many of a set's Pods are missing, being deleted, or
// not available.
func unavailablePods(set *appsv1.StatefulSet, replicas []*corev1.Pod) (n int) {
	for _, pod := range replicas {
		if pod == nil || pod.DeletionTimestamp != nil || !isAvailable(set, pod) {
			n++
		}
	}
	return n
}

// isAvailable reports whether a Pod has been ready for as long as its set asks.
func isAvailable(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	wait, ready := deployment.UntilAvailable(pod, set.Spec.MinReadySeconds)
	return ready && wait == 0
}
