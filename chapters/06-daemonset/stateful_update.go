package daemonset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	statefulset "reconcile/chapters/04-statefulset"
)

// For implements statefulset.Update: below the partition a Pod is created again at
// the current version, however often. (Kubernetes: newVersionedStatefulSetPod in
// pkg/controller/statefulset/stateful_set_utils.go.)
//
//book:exercise 6j
func (Revised) For(
	set *appsv1.StatefulSet, v statefulset.Versions, ordinal int,
) statefulset.Version {
	if !isRollingUpdate(set) || placeOf(set, ordinal) >= currentUpTo(set) {
		return v.Update
	}
	return v.Current
}

// GiveWay implements statefulset.Update: it returns Pods of another version to be
// deleted, from the highest ordinal down to the partition, as many as may be
// unavailable at a time. In Parallel all that are not available are among them,
// first. (Kubernetes: updateStatefulSetAfterInvariantEstablished in
// pkg/controller/statefulset/stateful_set_control.go.)
//
//book:exercise 6j
func (Revised) GiveWay(
	set *appsv1.StatefulSet, v statefulset.Versions, replicas []*corev1.Pod,
) (give []*corev1.Pod) {
	if !isRollingUpdate(set) {
		return nil
	}
	left := maxUnavailable(set) - unavailablePods(set, replicas)
	var candidates []*corev1.Pod
	for _, pod := range slices.Backward(replicas[min(partition(set), len(replicas)):]) {
		switch {
		case pod == nil || pod.DeletionTimestamp != nil,
			revisionOf(pod) == v.Update.Revision:
		case isParallel(set) && !isAvailable(set, pod):
			give = append(give, pod)
		default:
			candidates = append(candidates, pod)
		}
	}
	return append(give, candidates[:max(0, min(left, len(candidates)))]...)
}
