package admission

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/qos"

	controlloop "reconcile/chapters/01-control-loop"
)

// covers reports whether an object is in all scopes of a quota. Scopes are of
// Pods: with any, a quota limits nothing else. (Kubernetes: podMatchesScopeFunc
// in pkg/quota/v1/evaluator/core/pods.go.)
func covers(quota *corev1.ResourceQuota, obj controlloop.Object) bool {
	scopes := scopesOf(quota)
	if len(scopes) == 0 {
		return true
	}
	pod, ok := obj.(*corev1.Pod)
	return ok && !slices.ContainsFunc(scopes,
		func(s corev1.ScopedResourceSelectorRequirement) bool { return !inScope(pod, s) })
}

// scopesOf returns the scopes of a quota, which may be said in two ways.
func scopesOf(
	quota *corev1.ResourceQuota,
) (all []corev1.ScopedResourceSelectorRequirement) {
	for _, scope := range quota.Spec.Scopes {
		all = append(all, corev1.ScopedResourceSelectorRequirement{
			ScopeName: scope, Operator: corev1.ScopeSelectorOpExists})
	}
	if quota.Spec.ScopeSelector != nil {
		all = append(all, quota.Spec.ScopeSelector.MatchExpressions...)
	}
	return all
}

func inScope(pod *corev1.Pod, s corev1.ScopedResourceSelectorRequirement) bool {
	switch s.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return pod.Spec.ActiveDeadlineSeconds != nil
	case corev1.ResourceQuotaScopeNotTerminating:
		return pod.Spec.ActiveDeadlineSeconds == nil
	case corev1.ResourceQuotaScopeBestEffort:
		return qos.GetPodQOS(pod) == corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopeNotBestEffort:
		return qos.GetPodQOS(pod) != corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopePriorityClass:
		return ofPriority(pod, s)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return looksElsewhere(pod.Spec.Affinity)
	}
	return false
}

// ofPriority reports whether a Pod's class is one that a scope selects.
func ofPriority(pod *corev1.Pod, s corev1.ScopedResourceSelectorRequirement) bool {
	class := pod.Spec.PriorityClassName
	switch s.Operator {
	case corev1.ScopeSelectorOpExists:
		return class != ""
	case corev1.ScopeSelectorOpDoesNotExist:
		return class == ""
	case corev1.ScopeSelectorOpIn:
		return class != "" && slices.Contains(s.Values, class)
	case corev1.ScopeSelectorOpNotIn:
		return class == "" || !slices.Contains(s.Values, class)
	}
	return false
}

// looksElsewhere reports whether a Pod is placed by Pods of other namespaces.
func looksElsewhere(affinity *corev1.Affinity) bool {
	if affinity == nil {
		return false
	}
	elsewhere := func(t corev1.PodAffinityTerm) bool {
		return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
	}
	preferred := func(t corev1.WeightedPodAffinityTerm) bool {
		return elsewhere(t.PodAffinityTerm)
	}
	a, b := affinity.PodAffinity, affinity.PodAntiAffinity
	return a != nil && (slices.ContainsFunc(a.RequiredDuringSchedulingIgnoredDuringExecution, elsewhere) ||
		slices.ContainsFunc(a.PreferredDuringSchedulingIgnoredDuringExecution, preferred)) ||
		b != nil && (slices.ContainsFunc(b.RequiredDuringSchedulingIgnoredDuringExecution, elsewhere) ||
			slices.ContainsFunc(b.PreferredDuringSchedulingIgnoredDuringExecution, preferred))
}
