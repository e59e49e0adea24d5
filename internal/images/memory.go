package images

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Containers implements controlloop.Runtime: it adds why a container was killed.
func (n *node) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	all := n.Simulated.Containers(pod)
	for name, status := range all {
		for _, state := range []*corev1.ContainerState{
			&status.State, &status.LastTerminationState,
		} {
			end := state.Terminated
			if end == nil {
				continue
			}
			c := n.attempt(target{pod, name}, end.ContainerID)
			if c != nil && c.box.OutOfMemory() {
				end.Reason = "OOMKilled"
			}
		}
	}
	return all
}
