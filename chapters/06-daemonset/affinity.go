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

// Matches reports whether all that a term says is true of a node. A term that
// says nothing is true of none.
//
//book:exercise 6.4
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
//
//book:exercise 6.4
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
