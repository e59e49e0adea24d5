package daemonset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
)

// For implements statefulset.Update: below the partition a Pod comes back as it
// was, however often. (Kubernetes: newVersionedStatefulSetPod in
// pkg/controller/statefulset/stateful_set_utils.go.)
//
//book:exercise 6.10
func (Revised) For(
	set *appsv1.StatefulSet, v statefulset.Versions, ordinal int,
) statefulset.Version {
	if !rolls(set) || placeOf(set, ordinal) >= oldUpTo(set) {
		return v.Update
	}
	return v.Current
}

func rolls(set *appsv1.StatefulSet) bool {
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

// oldUpTo returns how many of a set's Pods, from the first, are made of the
// current version. A set that rolls and says nothing of how has no partition;
// then those are as many as there are of it, if they go in order. In Parallel
// none are: one that does not work would be made and taken away for ever.
func oldUpTo(set *appsv1.StatefulSet) int {
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

// GiveWay implements statefulset.Update: it names those of another version,
// from the highest ordinal down to the partition, as many as may be missing at
// a time. In Parallel those that do not work go first: they are missing
// already. (Kubernetes: updateStatefulSetAfterInvariantEstablished in
// pkg/controller/statefulset/stateful_set_control.go.)
//
//book:exercise 6.10
func (Revised) GiveWay(
	set *appsv1.StatefulSet, v statefulset.Versions, replicas []*corev1.Pod,
) (give []*corev1.Pod) {
	if !rolls(set) {
		return nil
	}
	left := mayBeMissing(set) - missing(set, replicas)
	var working []*corev1.Pod
	for _, pod := range slices.Backward(replicas[min(partition(set), len(replicas)):]) {
		switch {
		case pod == nil || pod.DeletionTimestamp != nil,
			revisionOf(pod) == v.Update.Revision:
		case isParallel(set) && !works(set, pod):
			give = append(give, pod)
		default:
			working = append(working, pod)
		}
	}
	return append(give, working[:max(0, min(left, len(working)))]...)
}

// partition returns the place from which on Pods give way.
func partition(set *appsv1.StatefulSet) int {
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		return int(*rolling.Partition)
	}
	return 0
}

// mayBeMissing returns how many Pods an update may take at a time: at least
// one, or it would never begin.
func mayBeMissing(set *appsv1.StatefulSet) int {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return 1
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(
		rolling.MaxUnavailable, int(*set.Spec.Replicas), false)
	if err != nil {
		return 1 // it says nothing; what is no number was refused at the door
	}
	return max(1, n)
}

// missing returns how many of a set's Pods do not work, or are about to go.
func missing(set *appsv1.StatefulSet, replicas []*corev1.Pod) (n int) {
	for _, pod := range replicas {
		if pod == nil || pod.DeletionTimestamp != nil || !works(set, pod) {
			n++
		}
	}
	return n
}

// works reports whether a Pod has been ready for as long as its set asks.
func works(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	wait, ready := deployment.UntilAvailable(pod, set.Spec.MinReadySeconds)
	return ready && wait == 0
}
