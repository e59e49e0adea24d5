package rules

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// LimitRange returns the rules of core/v1 LimitRange, on which no chapter acts:
// the server's admission does.
func LimitRange() controlloop.Rules {
	return typed[*corev1.LimitRange]{fill: defaultRange}.rules()
}

// defaultRange fills in a range: a container that may have so much gets so
// much, and requests as much as it gets.
func defaultRange(r *corev1.LimitRange) {
	for i := range r.Spec.Limits {
		limit := &r.Spec.Limits[i]
		if limit.Type != corev1.LimitTypeContainer {
			continue
		}
		limit.Default = filled(limit.Default, limit.Max)
		limit.DefaultRequest = filled(limit.DefaultRequest, limit.Default)
		limit.DefaultRequest = filled(limit.DefaultRequest, limit.Min)
	}
}

func filled(amounts, from corev1.ResourceList) corev1.ResourceList {
	if amounts == nil {
		amounts = corev1.ResourceList{}
	}
	for name, amount := range from {
		if _, said := amounts[name]; !said {
			amounts[name] = amount
		}
	}
	return amounts
}
