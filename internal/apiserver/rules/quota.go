package rules

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// ResourceQuota returns the rules of core/v1 ResourceQuota.
func ResourceQuota() controlloop.Rules {
	return typed[*corev1.ResourceQuota]{check: checkQuota}.rules()
}

func checkQuota(q *corev1.ResourceQuota) field.ErrorList {
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
		amount, at := q.Spec.Hard[name], specPath.Child("hard").Key(string(name))
		errs = append(errs, checkAmount(amount, at)...)
		if isWhole(name) && amount.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, amount, "must be an integer"))
		}
	}
	return errs
}

// isWhole reports whether a resource is counted, and not measured.
func isWhole(name corev1.ResourceName) bool {
	return slices.Contains([]corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices,
		corev1.ResourceReplicationControllers, corev1.ResourceSecrets,
		corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims,
		corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}, name) || !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) &&
		!overcommits(name) && strings.Contains(string(name), "/")
}
