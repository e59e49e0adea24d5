package admission

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/qos"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
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
	}
	return false
}

// countedScopes are those that inScope knows.
var countedScopes = []corev1.ResourceQuotaScope{
	corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating,
	corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
}

// Uncounted returns a warning for each part of a quota that has no effect here:
// amounts that are not counted, and scopes in which it limits nothing.
func Uncounted(quota *corev1.ResourceQuota) (all []error) {
	for _, name := range slices.Sorted(maps.Keys(quota.Spec.Hard)) {
		if !slices.ContainsFunc(limitable(), func(kind kinds.Kind) bool {
			return measures(kind.GroupResource(), name)
		}) {
			all = append(all, fmt.Errorf("spec.hard[%s]: this lab doesn't count it", name))
		}
	}
	for _, s := range scopesOf(quota) {
		if !slices.Contains(countedScopes, s.ScopeName) {
			all = append(all, fmt.Errorf("spec.scopes: %s: this lab doesn't know which Pods "+
				"are in it, and the quota limits none", s.ScopeName))
		}
	}
	return all
}
