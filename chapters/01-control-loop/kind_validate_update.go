package controlloop

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PodUpdatesMayChange says why an update of anything else is refused.
const PodUpdatesMayChange = "pod updates may not change fields other than " +
	"`spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` " +
	"(allow it to be set to 1 if it was previously negative)"

// validatePodUpdate refuses all but a few changes: a Pod does not change, it
// is replaced. The few fields that may differ are set back; then the specs
// are equal, or the update is refused. Kubernetes' ValidatePodUpdate also
// prints how they differ.
func validatePodUpdate(obj, old Object) field.ErrorList {
	now, was := obj.(*corev1.Pod).Spec.DeepCopy(), old.(*corev1.Pod).Spec
	at := field.NewPath("spec")
	errs := slices.Concat(
		keepImages(at.Child("containers"), now.Containers, was.Containers),
		keepImages(at.Child("initContainers"),
			now.InitContainers, was.InitContainers))
	if len(errs) > 0 {
		return errs
	}
	errs = slices.Concat(
		onlySooner(at.Child("activeDeadlineSeconds"),
			now.ActiveDeadlineSeconds, was.ActiveDeadlineSeconds),
		onlyMore(at.Child("tolerations"), now.Tolerations, was.Tolerations))
	now.ActiveDeadlineSeconds = was.ActiveDeadlineSeconds
	now.Tolerations = was.Tolerations
	// The subresource pods/ephemeralcontainers checks additions, and the server
	// that gates are only ever removed.
	now.EphemeralContainers = was.EphemeralContainers
	now.SchedulingGates = was.SchedulingGates
	if !equality.Semantic.DeepEqual(*now, was) {
		errs = append(errs, field.Forbidden(at, PodUpdatesMayChange))
	}
	return errs
}

func keepImages(at *field.Path, now, was []corev1.Container) field.ErrorList {
	if len(now) != len(was) {
		return field.ErrorList{field.Forbidden(
			at, "pod updates may not add or remove containers")}
	}
	for i := range now {
		now[i].Image = was[i].Image
	}
	return nil
}

func onlySooner(at *field.Path, now, was *int64) field.ErrorList {
	switch {
	case was != nil && now == nil:
		return field.ErrorList{field.Invalid(at, now,
			"must not update from a positive integer to nil value")}
	case was != nil && *now > *was:
		return field.ErrorList{field.Invalid(at, *now,
			"must be less than or equal to previous value")}
	}
	return nil
}

// onlyMore returns an error unless every toleration of was is still
// there, for however long.
func onlyMore(at *field.Path, now, was []corev1.Toleration) field.ErrorList {
	var errs field.ErrorList
	for _, old := range was {
		if !slices.ContainsFunc(now, func(t corev1.Toleration) bool {
			t.TolerationSeconds = old.TolerationSeconds
			return t == old
		}) {
			errs = append(errs, field.Forbidden(at, "existing toleration can not "+
				"be modified except its tolerationSeconds"))
		}
	}
	return errs
}
