package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// task is what one node needs, whether there is an update or not.
type task struct {
	needsPod     bool
	podsToDelete []*corev1.Pod
}

func (t *task) isEmpty() bool { return !t.needsPod && len(t.podsToDelete) == 0 }

// taskOf says what a node needs. If the node does not exist, Pods that can only be
// scheduled to it are deleted: they would be pending for ever. Those that were on
// it are the Pod garbage collector's. (Kubernetes: getUnscheduledPodsWithoutNode.)
func (r *rollout) taskOf(n nodePods) task {
	if n.node == nil {
		return task{podsToDelete: slices.DeleteFunc(notTerminating(n.pods),
			func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })}
	}
	decide := podsShouldBeOnNode
	if r.allowsSurge {
		decide = r.podsWithSurge
	}
	needsPod, podsToDelete := decide(n)
	return task{needsPod, podsToDelete}
}

// notTerminating returns the Pods that are not being deleted.
func notTerminating(pods []*corev1.Pod) (remaining []*corev1.Pod) {
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			remaining = append(remaining, pod)
		}
	}
	return remaining
}

// split separates the Pods that have ended from the others.
func split(pods []*corev1.Pod) (ended, running []*corev1.Pod) {
	for _, pod := range pods {
		if controlloop.HasEnded(pod) {
			ended = append(ended, pod)
		} else {
			running = append(running, pod)
		}
	}
	return ended, running
}

// podsShouldBeOnNode decides whether a node needs a Pod, and which of its Pods are
// to be deleted: all, if none should continue running; those that have ended; and
// of several that run all but the first. Until a Pod that is being deleted has
// gone, no other is created. (Kubernetes: the same name in
// pkg/controller/daemon/daemon_controller.go.)
//
//book:exercise 6.7
func podsShouldBeOnNode(
	n nodePods,
) (needsPod bool, podsToDelete []*corev1.Pod) {
	remaining := notTerminating(n.pods)
	if !n.shouldContinueRunning {
		return false, remaining
	}
	ended, running := split(remaining)
	podsToDelete = append(ended, running[min(1, len(running)):]...)
	return n.shouldRun && len(n.pods) == 0, podsToDelete
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
