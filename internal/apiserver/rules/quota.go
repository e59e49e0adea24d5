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
	errs = append(errs, checkScopes(q, q.Spec.Scopes, q.Spec.Scopes, specPath.Child("scopes"))...)
	return append(errs, checkScopeSelector(q, specPath.Child("scopeSelector", "matchExpressions"))...)
}

// podScopes are the scopes of Pods. Those of claims no controller here counts.
var podScopes = []corev1.ResourceQuotaScope{
	corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating,
	corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
	corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity,
}

// checkScopes checks scopes against what a quota limits, and against each other;
// value is what an error shows.
func checkScopes(
	q *corev1.ResourceQuota, scopes []corev1.ResourceQuotaScope, value any, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for _, scope := range scopes {
		if !slices.Contains(podScopes, scope) {
			errs = append(errs, field.Invalid(path, value, "unsupported scope"))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
			if isQuotas(name) && !scopable(scope, name) {
				errs = append(errs, field.Invalid(path, value, "unsupported scope applied to resource"))
			}
		}
	}
	for _, not := range [][2]corev1.ResourceQuotaScope{
		{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort},
		{corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating},
	} {
		if slices.Contains(scopes, not[0]) && slices.Contains(scopes, not[1]) {
			errs = append(errs, field.Invalid(path, value, "conflicting scopes"))
		}
	}
	return errs
}

// isQuotas reports whether a name is one of those that quotas have by themselves.
func isQuotas(name corev1.ResourceName) bool { return !strings.Contains(string(name), "/") }

// scopable reports whether a quota of a scope can limit a resource.
func scopable(scope corev1.ResourceQuotaScope, name corev1.ResourceName) bool {
	if name == corev1.ResourcePods {
		return true
	}
	return scope != corev1.ResourceQuotaScopeBestEffort && slices.Contains(
		[]corev1.ResourceName{
			corev1.ResourceCPU, corev1.ResourceMemory,
			corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
			corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
		}, name)
}

func checkScopeSelector(q *corev1.ResourceQuota, path *field.Path) field.ErrorList {
	if q.Spec.ScopeSelector == nil {
		return nil
	}
	var errs field.ErrorList
	var scopes []corev1.ResourceQuotaScope
	for _, s := range q.Spec.ScopeSelector.MatchExpressions {
		scopes = append(scopes, s.ScopeName)
		if s.ScopeName != corev1.ResourceQuotaScopePriorityClass &&
			s.Operator != corev1.ScopeSelectorOpExists {
			errs = append(errs, field.Invalid(path.Child("operator"), s.Operator,
				"must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "+
					"ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "+
					"ResourceQuotaScopeNotBestEffort or "+
					"ResourceQuotaScopeCrossNamespacePodAffinity"))
		}
		switch s.Operator {
		case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
			if len(s.Values) == 0 {
				errs = append(errs, field.Required(path.Child("values"), "must be at least "+
					"one value when `operator` is 'In' or 'NotIn' for scope selector"))
			}
		case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
			if len(s.Values) > 0 {
				errs = append(errs, field.Invalid(path.Child("values"), s.Values, "must be no "+
					"value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
			}
		default:
			errs = append(errs, field.Invalid(
				path.Child("operator"), s.Operator, "not a valid selector operator"))
		}
	}
	return append(errs, checkScopes(q, scopes, q.Spec.ScopeSelector, path)...)
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
