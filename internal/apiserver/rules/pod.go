package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Pod returns the rules of core/v1 Pod beyond those of chapter 1.
func Pod() controlloop.Rules {
	return typed[*corev1.Pod]{check: checkPod, change: keepEphemeral}.rules()
}

func checkPod(pod *corev1.Pod) field.ErrorList {
	return slices.Concat(
		checkDeletionCost(pod.Annotations, field.NewPath("metadata", "annotations")),
		checkPodSpec(&pod.Spec, specPath),
		// Of a template, this is not asked.
		validation.ValidateNonnegativeField(*pod.Spec.TerminationGracePeriodSeconds,
			specPath.Child("terminationGracePeriodSeconds")))
}

// checkDeletionCost wants the one way to write a number: neither +5 nor 05.
func checkDeletionCost(
	annotations map[string]string, path *field.Path,
) field.ErrorList {
	cost, given := annotations[corev1.PodDeletionCost]
	if !given {
		return nil
	}
	_, err := strconv.ParseInt(cost, 10, 32)
	if err == nil && (cost == "0" || !strings.ContainsAny(cost[:1], "+0")) {
		return nil
	}
	return field.ErrorList{field.Invalid(
		path.Key(corev1.PodDeletionCost), cost, "must be a 32bit integer")}
}

func checkPodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	volumes := sets.Set[string]{}
	errs := slices.Concat(
		checkVolumeNames(spec.Volumes, volumes, path.Child("volumes")),
		checkContainers(spec.Containers, volumes, path.Child("containers")),
		checkInitContainers(spec, volumes, path.Child("initContainers")),
		checkEphemeral(spec, volumes, path.Child("ephemeralContainers")),
		oneOf(spec.RestartPolicy, path.Child("restartPolicy"),
			corev1.RestartPolicyAlways,
			corev1.RestartPolicyOnFailure,
			corev1.RestartPolicyNever))
	if spec.NodeName != "" {
		errs = append(errs, invalid(spec.NodeName, path.Child("nodeName"),
			utilvalidation.IsDNS1123Subdomain(spec.NodeName))...)
	}
	deadline := spec.ActiveDeadlineSeconds
	if deadline != nil && (*deadline < 1 || *deadline > math.MaxInt32) {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"),
			*deadline, utilvalidation.InclusiveRangeError(1, math.MaxInt32)))
	}
	return errs
}

// checkVolumeNames fills in names, which containers may mount.
func checkVolumeNames(
	volumes []corev1.Volume, names sets.Set[string], path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i, volume := range volumes {
		at := path.Index(i).Child("name")
		errs = append(errs, label(volume.Name, at)...)
		errs = append(errs, unique(volume.Name, names, at)...)
	}
	return errs
}
