package controlloop

import (
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// These rules refuse the objects that the controllers could not live with.
// Rules, messages and paths, oddities included, are Kubernetes':
// pkg/apis/core/validation/validation.go.

func validateReplicationController(obj Object) field.ErrorList {
	spec := obj.(*corev1.ReplicationController).Spec
	at := field.NewPath("spec")
	var errs field.ErrorList
	if len(spec.Selector) == 0 {
		errs = append(errs, field.Required(at.Child("selector"), ""))
	}
	errs = append(errs, apivalidation.ValidateNonnegativeField(
		int64(*spec.Replicas), at.Child("replicas"))...)
	if spec.Template == nil {
		return append(errs, field.Required(at.Child("template"), ""))
	}
	selector := labels.SelectorFromSet(spec.Selector)
	errs = append(errs,
		ValidateSelected(spec.Template, selector, at.Child("template"))...)
	return append(errs, ValidateEndless(
		spec.Template, "ReplicationController", at.Child("template"))...)
}

// ValidateSelected returns what is wrong with the labels of the template at a
// path, say spec.template. Its owner replaces Pods that are gone: were they not
// selected, it would make more of them for ever.
func ValidateSelected(
	template *corev1.PodTemplateSpec, by labels.Selector, at *field.Path,
) field.ErrorList {
	if by.Matches(labels.Set(template.Labels)) {
		return nil
	}
	return field.ErrorList{field.Invalid(at.Child("metadata", "labels"),
		template.Labels, "`selector` does not match template `labels`")}
}

// ValidateEndless returns an error for each field that would let the Pods of an
// owner, say a ReplicationController, end by themselves: their work would be
// done again and again.
func ValidateEndless(
	template *corev1.PodTemplateSpec, owner string, at *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	at = at.Child("spec")
	if p := template.Spec.RestartPolicy; p != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(at.Child("restartPolicy"),
			p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if template.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(at.Child("activeDeadlineSeconds"),
			"activeDeadlineSeconds in "+owner+" is not Supported"))
	}
	return errs
}
