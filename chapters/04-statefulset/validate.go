package statefulset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// validateStatefulSet refuses a set that its controller could not keep: fewer
// than no Pods, a selector of everything, a template that the selector does not
// match, and Pods that end by themselves.
func validateStatefulSet(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.StatefulSet).Spec
	at := field.NewPath("spec")
	errs := slices.Concat(
		validation.ValidateNonnegativeField(
			int64(*spec.Replicas), at.Child("replicas")),
		validation.ValidateNonnegativeField(
			int64(spec.MinReadySeconds), at.Child("minReadySeconds")))
	if spec.Selector == nil {
		errs = append(errs, field.Required(at.Child("selector"), ""))
	}
	errs = append(errs, deployment.ValidateSelector(
		spec.Selector, "statefulset", at.Child("selector"))...)
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil {
		return append(errs,
			field.Invalid(at.Child("selector"), spec.Selector, ""))
	}
	template := at.Child("template")
	return append(errs, slices.Concat(
		controlloop.ValidateSelected(&spec.Template, selector, template),
		controlloop.ValidateEndless(&spec.Template, "StatefulSet", template))...)
}

// keepIdentity refuses changes of the fields that say which Pods belong to the
// set, and which disks: the existing ones could not follow.
func keepIdentity(obj, old controlloop.Object) field.ErrorList {
	now, was := &obj.(*appsv1.StatefulSet).Spec, &old.(*appsv1.StatefulSet).Spec
	fixed := func(value, was any, name string) field.ErrorList {
		return validation.ValidateImmutableField(
			value, was, field.NewPath("spec", name))
	}
	return slices.Concat(
		fixed(now.Selector, was.Selector, "selector"),
		fixed(now.VolumeClaimTemplates, was.VolumeClaimTemplates,
			"volumeClaimTemplates"),
		fixed(now.ServiceName, was.ServiceName, "serviceName"),
		fixed(now.PodManagementPolicy, was.PodManagementPolicy,
			"podManagementPolicy"))
}
