package controlloop

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ephemeral are the containers that were added to a Pod while it runs, for
// somebody to look around in it. They start at once, and only once, and what
// becomes of them says nothing about the Pod.
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
