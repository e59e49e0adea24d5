package controlloop

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ephemeral returns the containers that were added to a running Pod so that a
// person can look around in it. They start at once, and only once, and their
// fate says nothing about the Pod.
func ephemeral(spec *corev1.PodSpec) (all []*corev1.Container) {
	for i := range spec.EphemeralContainers {
		c := &spec.EphemeralContainers[i].EphemeralContainerCommon
		all = append(all, (*corev1.Container)(c))
	}
	return all
}

func isEphemeral(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(ephemeral(&pod.Spec),
		func(c *corev1.Container) bool { return c.Name == container })
}
