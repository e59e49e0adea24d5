package daemonset

import corev1 "k8s.io/api/core/v1"

// Tolerates reports whether a toleration matches a taint. A field that it leaves
// empty matches everything, but for the value. (Kubernetes: Toleration.ToleratesTaint in
// k8s.io/api/core/v1.)
//
//	Exists, no key             every taint
//	Exists, key a              a=…, whatever its value
//	Equal,  key a, value x     a=x, and no other value
//	… with an effect           of that effect alone
//
//book:exercise 6b
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
