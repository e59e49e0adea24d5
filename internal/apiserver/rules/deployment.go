package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Deployment returns the rules of apps/v1 Deployment.
func Deployment() controlloop.Rules {
	return typed[*appsv1.Deployment]{
		fill:   defaultDeployment,
		check:  checkDeployment,
		change: changeDeployment,
	}.rules()
}

func defaultDeployment(d *appsv1.Deployment) {
	fill(&d.Spec.Replicas, new(int32(1)))
	strategy := &d.Spec.Strategy
	fill(&strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		fill(&strategy.RollingUpdate, &appsv1.RollingUpdateDeployment{})
		fill(&strategy.RollingUpdate.MaxUnavailable, new(intstr.FromString("25%")))
		fill(&strategy.RollingUpdate.MaxSurge, new(intstr.FromString("25%")))
	}
	fill(&d.Spec.RevisionHistoryLimit, new(int32(10)))
	fill(&d.Spec.ProgressDeadlineSeconds, new(int32(600)))
	controlloop.DefaultPodTemplate(&d.Spec.Template)
}

func checkDeployment(d *appsv1.Deployment) field.ErrorList {
	spec := &d.Spec
	return slices.Concat(
		nonnegative(*spec.Replicas, specPath.Child("replicas")),
		checkSelector(spec.Selector, "deployment"),
		checkMatch(&spec.Template, spec.Selector),
		checkTemplate(&spec.Template, "ReplicaSet"),
		checkStrategy(&spec.Strategy, specPath.Child("strategy")),
		nonnegative(spec.MinReadySeconds, specPath.Child("minReadySeconds")),
		nonnegativeIfSet(spec.RevisionHistoryLimit,
			specPath.Child("revisionHistoryLimit")),
		checkDeadline(spec, specPath.Child("progressDeadlineSeconds")))
}

func checkStrategy(
	strategy *appsv1.DeploymentStrategy, path *field.Path,
) field.ErrorList {
	rolling := path.Child("rollingUpdate")
	switch strategy.Type {
	case appsv1.RollingUpdateDeploymentStrategyType:
		return checkRollingUpdate(strategy.RollingUpdate, rolling)
	case appsv1.RecreateDeploymentStrategyType:
		if strategy.RollingUpdate != nil {
			return field.ErrorList{field.Forbidden(rolling,
				"may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	}
	return field.ErrorList{field.NotSupported(path, strategy,
		[]appsv1.DeploymentStrategyType{
			appsv1.RecreateDeploymentStrategyType,
			appsv1.RollingUpdateDeploymentStrategyType,
		})}
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

func checkDeadline(spec *appsv1.DeploymentSpec, path *field.Path) field.ErrorList {
	deadline := spec.ProgressDeadlineSeconds
	if deadline == nil {
		return nil
	}
	errs := nonnegative(*deadline, path)
	if *deadline <= spec.MinReadySeconds {
		errs = append(errs, field.Invalid(
			path, deadline, "must be greater than minReadySeconds"))
	}
	return errs
}

func changeDeployment(d, old *appsv1.Deployment) field.ErrorList {
	return validation.ValidateImmutableField(
		d.Spec.Selector, old.Spec.Selector, specPath.Child("selector"))
}
