package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Tolerates reports whether a toleration is about a taint. A field that it
// leaves empty is about all. (Kubernetes: Toleration.ToleratesTaint in
// k8s.io/api/core/v1.)
//
//	Exists, no key             every taint
//	Exists, key a              a=…, whatever its value
//	Equal,  key a, value x     a=x, and no other value
//	… with an effect           of that effect alone
//
//book:exercise 6.2
func Tolerates(t *corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect ||
		t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", corev1.TolerationOpEqual:
		return t.Value == taint.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}

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
