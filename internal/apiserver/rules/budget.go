package rules

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
)

// PodDisruptionBudget returns the rules of policy/v1 PodDisruptionBudget.
// (Kubernetes: pkg/apis/policy/validation.)
func PodDisruptionBudget() controlloop.Rules {
	return typed[*policyv1.PodDisruptionBudget]{check: checkBudget}.rules()
}

// checkBudget checks that a budget says how many must stay or how many
// may go, but not both. Nothing in a budget is for ever, not even
// which Pods it is about.
func checkBudget(b *policyv1.PodDisruptionBudget) field.ErrorList {
	spec := &b.Spec
	var errs field.ErrorList
	if spec.MinAvailable != nil && spec.MaxUnavailable != nil {
		errs = append(errs, field.Invalid(specPath, shownBudget(spec),
			"minAvailable and maxUnavailable cannot be both set"))
	}
	errs = slices.Concat(errs,
		checkShare(spec.MinAvailable, specPath.Child("minAvailable")),
		checkShare(spec.MaxUnavailable, specPath.Child("maxUnavailable")),
		checkLabels(spec.Selector, specPath.Child("selector")))
	if policy := spec.UnhealthyPodEvictionPolicy; policy != nil {
		errs = append(errs, supported(*policy,
			specPath.Child("unhealthyPodEvictionPolicy"),
			policyv1.AlwaysAllow, policyv1.IfHealthyBudget)...)
	}
	return errs
}

// checkShare checks a part of all Pods that may be left out.
func checkShare(part *intstr.IntOrString, path *field.Path) field.ErrorList {
	if part == nil {
		return nil
	}
	return slices.Concat(rollingupdate.ValidatePart(*part, path),
		rollingupdate.ValidateShare(*part, path))
}

// shownBudget returns a budget as Kubernetes' messages have it: with the
// names of its own code.
func shownBudget(spec *policyv1.PodDisruptionBudgetSpec) any {
	return struct {
		MinAvailable               *intstr.IntOrString
		Selector                   *metav1.LabelSelector
		MaxUnavailable             *intstr.IntOrString
		UnhealthyPodEvictionPolicy *policyv1.UnhealthyPodEvictionPolicyType
	}{
		spec.MinAvailable, spec.Selector, spec.MaxUnavailable,
		spec.UnhealthyPodEvictionPolicy,
	}
}
