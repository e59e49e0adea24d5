package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// IsTolerated reports whether one of a Pod's tolerations is about a taint.
func IsTolerated(taint *corev1.Taint, by []corev1.Toleration) bool {
	return slices.ContainsFunc(by, func(t corev1.Toleration) bool {
		return Tolerates(&t, taint)
	})
}

// Untolerated returns the first taint of one of these effects that a Pod does
// not tolerate, or nil.
func Untolerated(
	node *corev1.Node, by []corev1.Toleration, effects ...corev1.TaintEffect,
) *corev1.Taint {
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if slices.Contains(effects, taint.Effect) && !IsTolerated(taint, by) {
			return taint
		}
	}
	return nil
}
