package daemonset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// validateDaemonSet refuses what its controller could not keep: a selector of
// everything, a template that the selector does not match, and Pods that end by
// themselves. A selector that is missing matches nothing.
func validateDaemonSet(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*appsv1.DaemonSet).Spec
	at := field.NewPath("spec")
	template := at.Child("template")
	errs := deployment.ValidateSelector(
		spec.Selector, "daemonset", at.Child("selector"))
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err == nil {
		errs = append(errs, controlloop.ValidateSelected(
			&spec.Template, selector, template)...)
	}
	return slices.Concat(errs,
		controlloop.ValidateEndless(&spec.Template, "DaemonSet", template),
		validation.ValidateNonnegativeField(
			int64(spec.MinReadySeconds), at.Child("minReadySeconds")))
}

// keepSelector refuses another selector: Pods that are there could not follow.
func keepSelector(obj, old controlloop.Object) field.ErrorList {
	return validation.ValidateImmutableField(
		obj.(*appsv1.DaemonSet).Spec.Selector,
		old.(*appsv1.DaemonSet).Spec.Selector, field.NewPath("spec", "selector"))
}

// keepData refuses other data: a revision stays as it was.
func keepData(obj, old controlloop.Object) field.ErrorList {
	return validation.ValidateImmutableField(
		obj.(*appsv1.ControllerRevision).Data,
		old.(*appsv1.ControllerRevision).Data, field.NewPath("data"))
}
