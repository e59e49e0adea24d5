package statefulset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

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
