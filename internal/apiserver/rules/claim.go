package rules

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// PersistentVolumeClaim returns the rules of core/v1 PersistentVolumeClaim that
// chapter 5 leaves to the server.
func PersistentVolumeClaim() controlloop.Rules {
	return typed[*corev1.PersistentVolumeClaim]{
		check: func(c *corev1.PersistentVolumeClaim) field.ErrorList {
			return checkClaimSpec(&c.Spec, specPath)
		},
	}.rules()
}

func checkClaimSpec(
	spec *corev1.PersistentVolumeClaimSpec, path *field.Path,
) (errs field.ErrorList) {
	if spec.Selector != nil {
		errs = append(errs, metavalidation.ValidateLabelSelector(spec.Selector,
			metavalidation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	}
	if spec.StorageClassName != nil {
		errs = append(errs, checkClassName(
			*spec.StorageClassName, path.Child("storageClassName"))...)
	}
	return errs
}

func checkClassName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalid(name, path, validation.NameIsDNSSubdomain(name, false))
}
