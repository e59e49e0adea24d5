package statefulset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// start returns the first ordinal of a set: 0, if it does not say.
func start(set *appsv1.StatefulSet) int {
	if set.Spec.Ordinals == nil {
		return 0
	}
	return int(set.Spec.Ordinals.Start)
}

// IsWanted reports whether a Pod has one of the ordinals that a set wants.
func IsWanted(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	ordinal, ok := ordinalOf(set, pod)
	place := ordinal - start(set)
	return ok && place >= 0 && place < int(*set.Spec.Replicas)
}
