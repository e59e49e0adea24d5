package images

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Containers implements kubelet.Runtime. It adds why a container was killed, and its message. If a
// container was lost with its machine, its end is unknown (containerd:
// internal/cri/server/restart.go).
func (n *node) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	all := n.Runtime.Containers(pod)
	for name, status := range all {
		for _, state := range []*corev1.ContainerState{
			&status.State, &status.LastTerminationState,
		} {
			end := state.Terminated
			if end == nil {
				continue
			}
			c := n.attempt(target{pod, name}, end.ContainerID)
			if c != nil && end.Message == "" { // it did start
				end.Message = c.message()
			}
			switch {
			case c == nil:
			case c.lost.Load():
				end.ExitCode, end.Reason = 255, "Unknown"
			case c.box.OutOfMemory():
				end.Reason = "OOMKilled"
			}
		}
	}
	return all
}
