package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// RollingUpdate adds to the rules of apps/v1 Deployment those of its strategy
// RollingUpdate.
func RollingUpdate(rules controlloop.Rules) controlloop.Rules {
	fill, check := rules.Fill, rules.Check
	rules.Fill = func(obj controlloop.Object) {
		fill(obj)
		defaultRollingUpdate(&obj.(*appsv1.Deployment).Spec.Strategy)
	}
	rules.Check = func(obj controlloop.Object) field.ErrorList {
		strategy := obj.(*appsv1.Deployment).Spec.Strategy
		if strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
			return check(obj)
		}
		return append(check(obj), checkRollingUpdate(
			strategy.RollingUpdate, specPath.Child("strategy", "rollingUpdate"))...)
	}
	return rules
}

func defaultRollingUpdate(strategy *appsv1.DeploymentStrategy) {
	if strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		fill(&strategy.RollingUpdate, &appsv1.RollingUpdateDeployment{})
		fill(&strategy.RollingUpdate.MaxUnavailable, new(intstr.FromString("25%")))
		fill(&strategy.RollingUpdate.MaxSurge, new(intstr.FromString("25%")))
	}
}

// checkRollingUpdate: one of the two must leave room, or nothing could move.
func checkRollingUpdate(
	update *appsv1.RollingUpdateDeployment, path *field.Path,
) field.ErrorList {
	unavailable, surge := *update.MaxUnavailable, *update.MaxSurge
	at := path.Child("maxUnavailable")
	errs := slices.Concat(
		checkPart(unavailable, at), checkPart(surge, path.Child("maxSurge")))
	if amount(unavailable) == 0 && amount(surge) == 0 {
		errs = append(errs, field.Invalid(
			at, unavailable, "may not be 0 when `maxSurge` is 0"))
	}
	return append(errs, checkShare(unavailable, at)...)
}
