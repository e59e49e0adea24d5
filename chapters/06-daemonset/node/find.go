package node

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// ByNode is the index of Pods by the node that they are on.
const ByNode = "node"

// PodsByNode returns the informer of all Pods, which can be found by their
// nodes.
func PodsByNode(s *controlloop.System) *controlloop.Informer {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	pods.Cache.AddIndex(ByNode, func(obj controlloop.Object) []string {
		node := obj.(*corev1.Pod).Spec.NodeName
		if node == "" {
			return nil
		}
		return []string{node}
	})
	return pods
}
