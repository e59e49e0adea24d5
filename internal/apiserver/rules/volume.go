package rules

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// PersistentVolume returns the rules of core/v1 PersistentVolume that chapter 5
// leaves to the server.
func PersistentVolume() controlloop.Rules {
	return typed[*corev1.PersistentVolume]{
		fill: defaultVolume, check: checkVolume,
	}.rules()
}

func defaultVolume(v *corev1.PersistentVolume) {
	if v.Spec.HostPath != nil {
		controlloop.Fill(&v.Spec.HostPath.Type, new(corev1.HostPathUnset))
	}
}

func checkVolume(v *corev1.PersistentVolume) field.ErrorList {
	spec := &v.Spec
	errs := oneOf(spec.PersistentVolumeReclaimPolicy,
		specPath.Child("persistentVolumeReclaimPolicy"),
		corev1.PersistentVolumeReclaimDelete,
		corev1.PersistentVolumeReclaimRecycle,
		corev1.PersistentVolumeReclaimRetain)
	if spec.PersistentVolumeSource == (corev1.PersistentVolumeSource{}) {
		errs = append(errs, field.Required(specPath, "must specify a volume type"))
	}
	errs = append(errs, checkVolumeSource(&spec.PersistentVolumeSource)...)
	if spec.NodeAffinity != nil && spec.NodeAffinity.Required == nil {
		errs = append(errs, field.Required(specPath.Child("nodeAffinity", "required"),
			"must specify required node constraints"))
	}
	if a := spec.NodeAffinity; a != nil && a.Required != nil {
		errs = append(errs, checkNodeSelector(
			a.Required, specPath.Child("nodeAffinity", "required"))...)
	}
	if spec.Local != nil && spec.NodeAffinity == nil {
		errs = append(errs, field.Required(specPath.Child("nodeAffinity"),
			"Local volume requires node affinity"))
	}
	return append(errs, checkClassName(
		spec.StorageClassName, specPath.Child("storageClassName"))...)
}

// StorageClass returns the rules of storage.k8s.io/v1 StorageClass that chapter
// 5 leaves to the server.
func StorageClass() controlloop.Rules {
	return typed[*storagev1.StorageClass]{check: checkClass}.rules()
}

func checkClass(c *storagev1.StorageClass) field.ErrorList {
	path := field.NewPath("provisioner")
	var errs field.ErrorList
	if c.Provisioner == "" {
		errs = append(errs, field.Required(path, ""))
	} else {
		name := strings.ToLower(c.Provisioner)
		errs = append(errs, invalid(name, path, utilvalidation.IsQualifiedName(name))...)
	}
	if *c.ReclaimPolicy != "" {
		errs = append(errs, supported(*c.ReclaimPolicy, field.NewPath("reclaimPolicy"),
			corev1.PersistentVolumeReclaimDelete,
			corev1.PersistentVolumeReclaimRetain)...)
	}
	return append(errs,
		supported(*c.VolumeBindingMode, field.NewPath("volumeBindingMode"),
			storagev1.VolumeBindingImmediate,
			storagev1.VolumeBindingWaitForFirstConsumer)...)
}
