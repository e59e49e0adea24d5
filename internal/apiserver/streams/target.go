package streams

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// containerOf returns the name of the container that a client means: the one
// it named, or the only one there is (Kubernetes: pkg/registry/core/pod,
// validateContainer).
func containerOf(pod *corev1.Pod, name string) (string, error) {
	names := containersOf(pod)
	switch {
	case name != "" && slices.Contains(names, name):
		return name, nil
	case name != "":
		return "", apierrors.NewBadRequest(fmt.Sprintf(
			"container %s is not valid for pod %s", name, pod.Name))
	case len(pod.Spec.Containers) == 1:
		return pod.Spec.Containers[0].Name, nil
	}
	return "", apierrors.NewBadRequest(fmt.Sprintf(
		"a container name must be specified for pod %s, choose one of: %s",
		pod.Name, names))
}

func containersOf(pod *corev1.Pod) []string {
	var names []string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		names = append(names, c.Name)
	}
	return names
}

// onNode refuses a Pod that no kubelet has: there is none to ask.
func onNode(pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"pod %s does not have a host assigned", pod.Name))
	}
	return nil
}

// statusOf returns the status of a container, or nil.
func statusOf(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for _, all := range [][]corev1.ContainerStatus{
		pod.Status.ContainerStatuses,
		pod.Status.InitContainerStatuses,
		pod.Status.EphemeralContainerStatuses,
	} {
		for i := range all {
			if all[i].Name == container {
				return &all[i]
			}
		}
	}
	return nil
}

func isRunning(pod *corev1.Pod, container string) bool {
	status := statusOf(pod, container)
	return status != nil && status.State.Running != nil
}

// readsOn reports whether a container has an input that outlives the clients who
// type at it: all but one of stdinOnce without a terminal.
func readsOn(pod *corev1.Pod, container string) bool {
	is := func(name string, stdin, once, tty bool) bool {
		return name == container && stdin && (!once || tty)
	}
	return slices.ContainsFunc(
		slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers),
		func(c corev1.Container) bool { return is(c.Name, c.Stdin, c.StdinOnce, c.TTY) },
	) || slices.ContainsFunc(pod.Spec.EphemeralContainers,
		func(c corev1.EphemeralContainer) bool {
			return is(c.Name, c.Stdin, c.StdinOnce, c.TTY)
		})
}
