package daemonset

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// byNode is the index of Pods by the node that they are on.
const byNode = "node"

// podsByNode is the informer of all Pods, which can be found by their nodes.
func podsByNode(s *controlloop.System) *controlloop.Informer {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	pods.Cache.AddIndex(byNode, func(obj controlloop.Object) []string {
		node := obj.(*corev1.Pod).Spec.NodeName
		if node == "" {
			return nil
		}
		return []string{node}
	})
	return pods
}

// byName is the order of objects by their keys.
func byName(a, b controlloop.Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()),
		cmp.Compare(a.GetName(), b.GetName()))
}
