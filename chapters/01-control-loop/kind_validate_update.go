package controlloop

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const podUpdatesMayChange = "pod updates may not change fields other than " +
	"`spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` " +
	"(allow it to be set to 1 if it was previously negative)"

// validatePodUpdate: a Pod does not change, it is replaced. The few fields
// that may differ are set back; then the specs are equal, or the update is
// refused. Kubernetes' ValidatePodUpdate also prints how they differ.
func validatePodUpdate(obj, old Object) field.ErrorList {
	now, was := obj.(*corev1.Pod).Spec.DeepCopy(), old.(*corev1.Pod).Spec
	at := placeAt(field.NewPath("spec"))
	keepImages(at.child("containers"), now.Containers, was.Containers)
	keepImages(at.child("initContainers"),
		now.InitContainers, was.InitContainers)
	if len(*at.errs) > 0 {
		return *at.errs
	}
	onlySooner(at.child("activeDeadlineSeconds"),
		now.ActiveDeadlineSeconds, was.ActiveDeadlineSeconds)
	now.ActiveDeadlineSeconds = was.ActiveDeadlineSeconds
	onlyMore(at.child("tolerations"), now.Tolerations, was.Tolerations)
	now.Tolerations = was.Tolerations
	// Kubernetes binds a Pod to its node through pods/binding. Here an update
	// may do it, once: a Pod that is bound never leaves its node.
	if was.NodeName == "" {
		now.NodeName = ""
	}
	if !equality.Semantic.DeepEqual(*now, was) {
		at.forbidden(podUpdatesMayChange)
	}
	return *at.errs
}

func keepImages(at place, now, was []corev1.Container) {
	if len(now) != len(was) {
		at.forbidden("pod updates may not add or remove containers")
		return
	}
	for i := range now {
		now[i].Image = was[i].Image
	}
}

func onlySooner(at place, now, was *int64) {
	switch {
	case was != nil && now == nil:
		at.invalid(now, "must not update from a positive integer to nil value")
	case was != nil && *now > *was:
		at.invalid(*now, "must be less than or equal to previous value")
	}
}

// onlyMore: every toleration there was is still there, for however long.
func onlyMore(at place, now, was []corev1.Toleration) {
	for _, old := range was {
		if !slices.ContainsFunc(now, func(t corev1.Toleration) bool {
			t.TolerationSeconds = old.TolerationSeconds
			return t == old
		}) {
			at.forbidden("existing toleration can not be modified except its " +
				"tolerationSeconds")
		}
	}
}
