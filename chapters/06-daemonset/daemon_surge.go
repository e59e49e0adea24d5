package daemonset

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// podsWithSurge decides the same for a set that allows surge: the next Pod is
// created as soon as none runs, and two may run.
func (r *rollout) podsWithSurge(
	n nodePods,
) (needsPod bool, podsToDelete []*corev1.Pod) {
	remaining := notTerminating(n.pods)
	if !n.shouldContinueRunning {
		return false, remaining
	}
	ended, running := split(remaining)
	podsToDelete = append(ended, r.excessPods(running)...)
	return n.shouldRun && len(running) == 0, podsToDelete
}

// excessPods returns which of a node's running Pods are to be deleted if the set
// allows surge. Two may run: an old one that is ready, until the new one is
// available.
func (r *rollout) excessPods(running []*corev1.Pod) (podsToDelete []*corev1.Pod) {
	var newPod, oldPod *corev1.Pod
	for _, pod := range running {
		switch updated := r.isUpdated(pod); {
		case updated && newPod == nil:
			newPod = pod
		case !updated && oldPod == nil:
			oldPod = pod
		default:
			podsToDelete = append(podsToDelete, pod)
		}
	}
	if newPod != nil && oldPod != nil &&
		(!controlloop.IsReady(oldPod) || r.isAvailable(newPod)) {
		podsToDelete = append(podsToDelete, oldPod)
	}
	return podsToDelete
}
