package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// taskOf decides whether a node needs a Pod, and which of its Pods are to be
// deleted, also where the set allows surge or the node does not exist: Pods that
// can only be scheduled to it would be pending for ever. Those that were on it
// are the Pod garbage collector's. (Kubernetes: getUnscheduledPodsWithoutNode.)
func (r *rollout) taskOf(
	n nodePods,
) (needsPod bool, podsToDelete []*corev1.Pod) {
	switch {
	case n.node == nil:
		return false, slices.DeleteFunc(notTerminating(n.pods),
			func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
	case r.allowsSurge:
		return r.podsWithSurge(n)
	}
	return podsShouldBeOnNode(n)
}

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
