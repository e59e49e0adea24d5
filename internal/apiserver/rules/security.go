package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkPodSecurity checks that users and groups are numbers that there can be.
func checkPodSecurity(s *corev1.PodSecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := slices.Concat(
		group(s.FSGroup, path.Child("fsGroup")),
		user(s.RunAsUser, path.Child("runAsUser")),
		group(s.RunAsGroup, path.Child("runAsGroup")))
	for i := range s.SupplementalGroups {
		errs = append(errs, group(&s.SupplementalGroups[i],
			path.Child("supplementalGroups").Index(i))...)
	}
	return errs
}

func checkSecurity(s *corev1.SecurityContext, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	return slices.Concat(
		user(s.RunAsUser, path.Child("runAsUser")),
		group(s.RunAsGroup, path.Child("runAsGroup")))
}

func user(id *int64, path *field.Path) field.ErrorList {
	if id == nil {
		return nil
	}
	return invalid(*id, path, utilvalidation.IsValidUserID(*id))
}

func group(id *int64, path *field.Path) field.ErrorList {
	if id == nil {
		return nil
	}
	return invalid(*id, path, utilvalidation.IsValidGroupID(*id))
}
