package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Matches reports whether a node meets all requirements of a term. A term without
// any matches no node.
func Matches(term *corev1.NodeSelectorTerm, node *corev1.Node) bool {
	for _, says := range term.MatchExpressions {
		value, there := node.Labels[says.Key]
		if !holds(says, value, there) {
			return false
		}
	}
	for _, says := range term.MatchFields {
		if !holds(says, node.Name, says.Key == "metadata.name") {
			return false
		}
	}
	return len(term.MatchExpressions)+len(term.MatchFields) > 0
}

// holds reports whether a requirement holds for a label's value, or for a label
// that is not there.
func holds(
	says corev1.NodeSelectorRequirement, value string, there bool,
) bool {
	switch says.Operator {
	case corev1.NodeSelectorOpIn:
		return there && slices.Contains(says.Values, value)
	case corev1.NodeSelectorOpNotIn:
		return !there || !slices.Contains(says.Values, value)
	case corev1.NodeSelectorOpExists:
		return there
	case corev1.NodeSelectorOpDoesNotExist:
		return !there
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		return there && isBeyond(says, value)
	}
	return false
}
