package streams

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// SourceOf returns the ID of the attempt of a container whose log is meant: the
// one that runs, or ran last; or, with previous, the one before it. The error
// is a kubelet's when there is none (Kubernetes: pkg/kubelet/ kubelet_pods.go,
// validateContainerLogStatus).
func SourceOf(pod *corev1.Pod, container string, previous bool) (string, error) {
	status := statusOf(pod, container)
	if status == nil {
		return "", fmt.Errorf("container %q in pod %q is not available",
			container, pod.Name)
	}
	last := status.LastTerminationState.Terminated
	state := status.State
	switch {
	case previous:
		if last == nil || last.ContainerID == "" {
			return "", fmt.Errorf(
				"previous terminated container %q in pod %q not found",
				container, pod.Name)
		}
		return last.ContainerID, nil
	case state.Running != nil:
		return status.ContainerID, nil
	case state.Terminated != nil && state.Terminated.ContainerID != "":
		return state.Terminated.ContainerID, nil
	case last != nil && last.ContainerID != "":
		return last.ContainerID, nil
	case state.Terminated != nil || last != nil:
		return "", fmt.Errorf("container %q in pod %q is terminated",
			container, pod.Name)
	}
	return "", fmt.Errorf("container %q in pod %q is waiting to start%s",
		container, pod.Name, whyWaiting(state.Waiting))
}

func whyWaiting(waiting *corev1.ContainerStateWaiting) string {
	switch {
	case waiting == nil:
		return " - no logs yet"
	case waiting.Reason == "ErrImagePull":
		return ": image can't be pulled"
	case waiting.Reason == "ImagePullBackOff":
		return ": trying and failing to pull image"
	}
	return ": " + waiting.Reason
}
