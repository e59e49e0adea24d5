package kubelet

import (
	corev1 "k8s.io/api/core/v1"
)

// Lost returns where a container goes on that the runtime does not know: how often
// it was restarted when it starts the next time, and how it ended before that. A
// runtime may have lost it with its machine's memory; then the store has heard of
// it, and its count does not fall. For a container that never was there, both are
// zero. (Kubernetes: pkg/kubelet/kubelet_pods.go, convertToAPIContainerStatuses,
// and calcRestartCountByLogDir in kuberuntime_container.go.)
func Lost(
	pod *corev1.Pod, container string,
) (restarts int32, last corev1.ContainerState) {
	said := saidOf(pod, container)
	switch {
	case said == nil:
		return 0, corev1.ContainerState{}
	case said.ContainerID == "": // it was noted that it is lost, if it is
		return said.RestartCount, said.LastTerminationState
	case said.State.Running != nil:
		last.Terminated = &corev1.ContainerStateTerminated{
			ExitCode: 137, Reason: "ContainerStatusUnknown",
			Message: "The container could not be located when the pod was deleted.  " +
				"The container used to be Running",
		}
	case said.State.Terminated != nil:
		last.Terminated = said.State.Terminated
	default:
		last = said.LastTerminationState
	}
	return said.RestartCount + 1, last
}
