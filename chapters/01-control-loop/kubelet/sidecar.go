package kubelet

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// isSidecar reports whether an init container stays: the next container does
// not wait for its end, and it ends after all others.
func isSidecar(pod *corev1.Pod, c *corev1.Container) bool {
	return c.RestartPolicy != nil && isInit(pod, c.Name) &&
		*c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// lasting returns the containers that run as long as the Pod does: sidecars,
// then all that are not init containers.
func lasting(pod *corev1.Pod) (all []*corev1.Container) {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; isSidecar(pod, c) {
			all = append(all, c)
		}
	}
	for i := range pod.Spec.Containers {
		all = append(all, &pod.Spec.Containers[i])
	}
	return all
}

// isOver reports whether a Pod's work is done, so that its sidecars may
// end.
func isOver(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus, m *memory,
) bool {
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		status := actual[c.Name]
		if m.isFinal(pod, c, status) && !hasSucceeded(status) {
			return true
		}
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		if !m.isFinal(pod, c, actual[c.Name]) {
			return false
		}
	}
	return true
}

// nextToEnd returns the running containers whose turn it is when a Pod
// ends: first all that are no sidecars, then one sidecar after the
// other, the last first.
func nextToEnd(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus,
) (running []*corev1.Container) {
	var sidecar *corev1.Container
	for c := range controlloop.Containers(&pod.Spec) {
		switch {
		case actual[c.Name].State.Running == nil:
		case isSidecar(pod, c):
			sidecar = c
		default:
			running = append(running, c)
		}
	}
	if running == nil && sidecar != nil {
		return []*corev1.Container{sidecar}
	}
	return running
}

// graceFor returns how many seconds a container of a deleted Pod has: all
// that the Pod was given, or for a sidecar what is left of them, and at least
// two.
func graceFor(pod *corev1.Pod, c *corev1.Container) int64 {
	if !isSidecar(pod, c) {
		return *pod.DeletionGracePeriodSeconds
	}
	left := time.Until(pod.DeletionTimestamp.Time).Round(time.Second)
	return max(2, int64(left.Seconds()))
}
