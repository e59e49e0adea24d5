package deployment

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// What the API server refuses. Rules, messages and paths, oddities included,
// are Kubernetes': pkg/apis/apps/validation/validation.go. A ReplicaSet that
// selects nothing hears of a deployment there, and so it does here.

func validateReplicaSet(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.ReplicaSet).Spec
	at := field.NewPath("spec")
	errs := nonnegative(at.Child("replicas"), *spec.Replicas)
	errs = append(errs,
		nonnegative(at.Child("minReadySeconds"), spec.MinReadySeconds)...)
	return append(errs, validateSelected(spec.Selector, &spec.Template, at)...)
}

func validateDeployment(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.Deployment).Spec
	at := field.NewPath("spec")
	errs := nonnegative(at.Child("replicas"), *spec.Replicas)
	errs = append(errs, validateSelected(spec.Selector, &spec.Template, at)...)
	errs = append(errs, validateStrategy(&spec.Strategy, at.Child("strategy"))...)
	errs = append(errs,
		nonnegative(at.Child("minReadySeconds"), spec.MinReadySeconds)...)
	errs = append(errs, nonnegative(
		at.Child("revisionHistoryLimit"), *spec.RevisionHistoryLimit)...)
	deadline := at.Child("progressDeadlineSeconds")
	errs = append(errs, nonnegative(deadline, *spec.ProgressDeadlineSeconds)...)
	if *spec.ProgressDeadlineSeconds <= spec.MinReadySeconds {
		errs = append(errs, field.Invalid(deadline, *spec.ProgressDeadlineSeconds,
			"must be greater than minReadySeconds"))
	}
	return errs
}

// validateSelected checks a selector and the template that it has to select.
func validateSelected(
	s *metav1.LabelSelector, template *corev1.PodTemplateSpec, at *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	path := at.Child("selector")
	if s == nil {
		errs = append(errs, field.Required(path, ""))
	} else {
		errs = append(errs, metavalidation.ValidateLabelSelector(
			s, metavalidation.LabelSelectorValidationOptions{}, path)...)
		if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			errs = append(errs, field.Invalid(
				path, s, "empty selector is invalid for deployment"))
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return append(errs, field.Invalid(path, s, "invalid label selector"))
	}
	return append(errs, validateTemplate(template, selector, at.Child("template"))...)
}

// validateTemplate checks a template whose Pods are replaced when they are
// gone: it has to be selected, and its Pods must not end by themselves.
func validateTemplate(
	template *corev1.PodTemplateSpec, selector labels.Selector, at *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	if !selector.Empty() && !selector.Matches(labels.Set(template.Labels)) {
		errs = append(errs, field.Invalid(at.Child("metadata", "labels"),
			template.Labels, "`selector` does not match template `labels`"))
	}
	errs = append(errs, controlloop.ValidatePodTemplate(template, at)...)
	if p := template.Spec.RestartPolicy; p != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(at.Child("spec", "restartPolicy"),
			p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if template.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(
			at.Child("spec", "activeDeadlineSeconds"),
			"activeDeadlineSeconds in ReplicaSet is not Supported"))
	}
	return errs
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

// A selector says which Pods there are. With another, those that there were
// would belong to nobody.

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
	if n >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(
		at, n, "must be greater than or equal to 0")}
}
