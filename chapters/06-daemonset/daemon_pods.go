package daemonset

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// byPrecedence puts first a Pod that is scheduled, then the older one.
// (Kubernetes: podByCreationTimestampAndPhase.)
func byPrecedence(a, b *corev1.Pod) int {
	unscheduled := func(pod *corev1.Pod) int {
		if pod.Spec.NodeName == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(unscheduled(a)-unscheduled(b),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name))
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

// hasAvailable reports whether there is a Pod, and it is available.
func (r *rollout) hasAvailable(pod *corev1.Pod) bool {
	return pod != nil && r.isAvailable(pod)
}

// findUpdatedPodsOnNode returns the new Pod and the old one of a node, nil where
// there is none; ok is false if there are two new ones, or two old ones. Pods that
// are being deleted do not count. (Kubernetes: the same name in
// pkg/controller/daemon/update.go.)
func (r *rollout) findUpdatedPodsOnNode(
	pods []*corev1.Pod,
) (newPod, oldPod *corev1.Pod, ok bool) {
	for _, pod := range notTerminating(pods) {
		this := &oldPod
		if r.isUpdated(pod) {
			this = &newPod
		}
		if *this != nil {
			return nil, nil, false
		}
		*this = pod
	}
	return newPod, oldPod, true
}

// isServed reports whether a node has an available Pod: its old one or, if it has
// none, its new one.
func (r *rollout) isServed(n nodePods) bool {
	newPod, oldPod, _ := r.findUpdatedPodsOnNode(n.pods)
	if oldPod == nil {
		return r.hasAvailable(newPod)
	}
	return r.isAvailable(oldPod)
}

// upTo returns the first of these nodes, n at most.
func upTo(n int, nodes []nodePods) []nodePods {
	return nodes[:max(0, min(n, len(nodes)))]
}

// isUpdated reports whether a Pod is of the newest revision.
func (r *rollout) isUpdated(pod *corev1.Pod) bool {
	return revisionOf(pod) == r.hash
}

// isAvailable reports whether a Pod has been ready for long enough.
func (r *rollout) isAvailable(pod *corev1.Pod) bool {
	wait, ready := deployment.UntilAvailable(pod, r.set.Spec.MinReadySeconds)
	return ready && wait == 0
}

// nextAvailable returns how long it takes until the next Pod becomes available by
// the mere passing of time; 0: none does.
func (r *rollout) nextAvailable(nodes []nodePods) (next time.Duration) {
	for _, n := range nodes {
		for _, pod := range n.pods {
			wait, _ := deployment.UntilAvailable(pod, r.set.Spec.MinReadySeconds)
			next = controlloop.Sooner(next, wait)
		}
	}
	return next
}
