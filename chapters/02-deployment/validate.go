package deployment

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// These rules refuse what the API server refuses. Rules, messages and paths,
// oddities included, are Kubernetes':
// pkg/apis/apps/validation/validation.go. A ReplicaSet that selects nothing
// hears of a deployment there, and so it does here.

func validateReplicaSet(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.ReplicaSet).Spec
	at := field.NewPath("spec")
	return slices.Concat(
		nonnegative(at.Child("replicas"), *spec.Replicas),
		nonnegative(at.Child("minReadySeconds"), spec.MinReadySeconds),
		validateSelected(spec.Selector, &spec.Template, at))
}

func validateDeployment(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.Deployment).Spec
	at := field.NewPath("spec")
	deadline := at.Child("progressDeadlineSeconds")
	errs := slices.Concat(
		nonnegative(at.Child("replicas"), *spec.Replicas),
		validateSelected(spec.Selector, &spec.Template, at),
		validateStrategy(&spec.Strategy, at.Child("strategy")),
		nonnegative(at.Child("minReadySeconds"), spec.MinReadySeconds),
		nonnegative(at.Child("revisionHistoryLimit"), *spec.RevisionHistoryLimit),
		nonnegative(deadline, *spec.ProgressDeadlineSeconds))
	if *spec.ProgressDeadlineSeconds <= spec.MinReadySeconds {
		errs = append(errs, field.Invalid(deadline, *spec.ProgressDeadlineSeconds,
			"must be greater than minReadySeconds"))
	}
	return errs
}

// validateSelected checks a selector and the template that it has to select. An
// empty selector would take every Pod from its owner.
func validateSelected(
	s *metav1.LabelSelector, template *corev1.PodTemplateSpec, at *field.Path,
) field.ErrorList {
	path := at.Child("selector")
	var errs field.ErrorList
	if s == nil {
		errs = append(errs, field.Required(path, ""))
	} else {
		errs = metavalidation.ValidateLabelSelector(
			s, metavalidation.LabelSelectorValidationOptions{}, path)
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(
				path, s, "empty selector is invalid for deployment"))
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return append(errs, field.Invalid(path, s, "invalid label selector"))
	}
	at = at.Child("template")
	return slices.Concat(errs,
		controlloop.ValidateSelected(template, selector, at),
		controlloop.ValidateEndless(template, "ReplicaSet", at))
}

func validateStrategy(s *appsv1.DeploymentStrategy, at *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.RollingUpdateDeploymentStrategyType:
		return nil
	case appsv1.RecreateDeploymentStrategyType:
		if s.RollingUpdate == nil {
			return nil
		}
		return field.ErrorList{field.Forbidden(at.Child("rollingUpdate"),
			"may not be specified when strategy `type` is 'Recreate'")}
	}
	value := struct { // as the type that Kubernetes prints here, without JSON tags
		Type          appsv1.DeploymentStrategyType
		RollingUpdate *appsv1.RollingUpdateDeployment
	}(*s)
	return field.ErrorList{field.NotSupported(at, value,
		[]appsv1.DeploymentStrategyType{
			appsv1.RecreateDeploymentStrategyType,
			appsv1.RollingUpdateDeploymentStrategyType,
		})}
}

// A selector decides which Pods belong to the object. With another, those that
// exist would belong to none.

func keepReplicaSetSelector(obj, old controlloop.Object) field.ErrorList {
	return unchanged(obj.(*appsv1.ReplicaSet).Spec.Selector,
		old.(*appsv1.ReplicaSet).Spec.Selector)
}

func keepDeploymentSelector(obj, old controlloop.Object) field.ErrorList {
	return unchanged(obj.(*appsv1.Deployment).Spec.Selector,
		old.(*appsv1.Deployment).Spec.Selector)
}

func unchanged(selector, was *metav1.LabelSelector) field.ErrorList {
	if equality.Semantic.DeepEqual(selector, was) {
		return nil
	}
	return field.ErrorList{field.Invalid(
		field.NewPath("spec", "selector"), selector, "field is immutable")}
}

func nonnegative(at *field.Path, n int32) field.ErrorList {
	return apivalidation.ValidateNonnegativeField(int64(n), at)
}
