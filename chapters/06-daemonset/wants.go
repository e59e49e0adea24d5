package daemonset

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// Wants reports whether a node is one of those that a Pod can be on, by what it
// says of their labels and their names. (Kubernetes: RequiredNodeAffinity.Match
// in k8s.io/component-helpers/scheduling/corev1/nodeaffinity.)
func Wants(spec *corev1.PodSpec, node *corev1.Node) bool {
	for key, value := range spec.NodeSelector {
		if got, ok := node.Labels[key]; !ok || got != value {
			return false
		}
	}
	required := RequiredNodes(spec)
	return required == nil || slices.ContainsFunc(required.NodeSelectorTerms,
		func(term corev1.NodeSelectorTerm) bool { return Matches(&term, node) })
}

// RequiredNodes returns the selector of the nodes that a Pod requires, or nil.
func RequiredNodes(spec *corev1.PodSpec) *corev1.NodeSelector {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return spec.Affinity.NodeAffinity.
		RequiredDuringSchedulingIgnoredDuringExecution
}

// isBeyond compares numbers. A text that is none is neither more nor less.
func isBeyond(says corev1.NodeSelectorRequirement, value string) bool {
	if len(says.Values) != 1 {
		return false
	}
	has, err := strconv.ParseInt(value, 10, 64)
	limit, wrong := strconv.ParseInt(says.Values[0], 10, 64)
	if err != nil || wrong != nil {
		return false
	}
	if says.Operator == corev1.NodeSelectorOpGt {
		return has > limit
	}
	return has < limit
}
