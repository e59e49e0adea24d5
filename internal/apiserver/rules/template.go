package rules

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var specPath = field.NewPath("spec")

// checkSelector wants a selector that selects something; owner is the word for
// whose it is.
func checkSelector(selector *metav1.LabelSelector, owner string) field.ErrorList {
	path := specPath.Child("selector")
	if selector == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	errs := metavalidation.ValidateLabelSelector(
		selector, metavalidation.LabelSelectorValidationOptions{}, path)
	if len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(
			path, selector, "empty selector is invalid for "+owner))
	}
	return errs
}

// checkMatch wants the Pods of the template to be selected: were they not,
// their owner would never see what it made.
func checkMatch(
	template *corev1.PodTemplateSpec, by *metav1.LabelSelector,
) field.ErrorList {
	selector, err := metav1.LabelSelectorAsSelector(by)
	if err != nil || selector.Matches(labels.Set(template.Labels)) {
		return nil // what is wrong with a selector is said of the selector
	}
	return field.ErrorList{field.Invalid(
		specPath.Child("template", "metadata", "labels"), template.Labels,
		"`selector` does not match template `labels`")}
}

// checkTemplate checks a template whose Pods are replaced when they are gone,
// and so may not end by themselves.
func checkTemplate(template *corev1.PodTemplateSpec, owner string) field.ErrorList {
	path := specPath.Child("template")
	return append(controlloop.ValidatePodTemplate(template, path),
		checkEndless(template, owner)...)
}

func checkEndless(template *corev1.PodTemplateSpec, owner string) field.ErrorList {
	path := specPath.Child("template", "spec")
	var errs field.ErrorList
	if template.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(path.Child("restartPolicy"),
			template.Spec.RestartPolicy,
			[]corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if template.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(path.Child("activeDeadlineSeconds"),
			"activeDeadlineSeconds in "+owner+" is not Supported"))
	}
	return errs
}
