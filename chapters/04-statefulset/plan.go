package statefulset

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// plan holds a set's Pods, each at its place.
type plan struct {
	replicas  []*corev1.Pod // by ordinal, from the first; nil: missing
	condemned []*corev1.Pod // too many, the highest first
}

// planOf sorts Pods into those that should be there and those that should not.
// A place without a Pod stays empty.
//
//	start 0, 3 replicas: web-0 web-3 web-2 web-7
//	replicas: web-0, none, web-2; condemned: web-7, web-3
func planOf(set *appsv1.StatefulSet, pods []*corev1.Pod) plan {
	p := plan{replicas: make([]*corev1.Pod, *set.Spec.Replicas)}
	for _, pod := range pods {
		ordinal, ok := ordinalOf(set, pod)
		place := ordinal - start(set)
		switch {
		case !ok:
		case 0 <= place && place < len(p.replicas):
			p.replicas[place] = pod
		default:
			p.condemned = append(p.condemned, pod)
		}
	}
	slices.SortFunc(p.condemned, func(a, b *corev1.Pod) int {
		one, _ := ordinalOf(set, a)
		other, _ := ordinalOf(set, b)
		return cmp.Compare(other, one)
	})
	return p
}

// isRunningAndReady reports whether a Pod does its work.
func isRunningAndReady(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodRunning && controlloop.IsReady(pod)
}

// isAvailable reports whether a Pod has done its work for long enough, and may go
// on. If it has not yet, it returns how long that takes.
func isAvailable(
	set *appsv1.StatefulSet, pod *corev1.Pod,
) (yes bool, wait time.Duration) {
	wait, ready := deployment.UntilAvailable(pod, set.Spec.MinReadySeconds)
	return ready && wait == 0 && pod.DeletionTimestamp == nil, wait
}
