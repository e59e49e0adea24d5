package rules

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// PersistentVolume returns the rules of core/v1 PersistentVolume.
func PersistentVolume() controlloop.Rules {
	return typed[*corev1.PersistentVolume]{
		fill:   defaultVolume,
		check:  checkVolume,
		change: changeVolume,
	}.rules()
}

func defaultVolume(v *corev1.PersistentVolume) {
	fill(&v.Status.Phase, corev1.VolumePending)
	fill(&v.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
	fill(&v.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
	if v.Spec.HostPath != nil {
		fill(&v.Spec.HostPath.Type, new(corev1.HostPathUnset))
	}
}

func checkVolume(v *corev1.PersistentVolume) field.ErrorList {
	spec := &v.Spec
	errs := slices.Concat(
		checkModes(spec.AccessModes, specPath.Child("accessModes"), ""),
		checkCapacity(spec.Capacity, specPath.Child("capacity")),
		oneOf(spec.PersistentVolumeReclaimPolicy,
			specPath.Child("persistentVolumeReclaimPolicy"), reclaimPolicies...))
	if spec.PersistentVolumeSource == (corev1.PersistentVolumeSource{}) {
		errs = append(errs, field.Required(specPath, "must specify a volume type"))
	}
	if spec.NodeAffinity != nil && spec.NodeAffinity.Required == nil {
		errs = append(errs, field.Required(specPath.Child("nodeAffinity", "required"),
			"must specify required node constraints"))
	}
	if spec.Local != nil && spec.NodeAffinity == nil {
		errs = append(errs, field.Required(specPath.Child("nodeAffinity"),
			"Local volume requires node affinity"))
	}
	return append(errs, slices.Concat(
		checkClassName(spec.StorageClassName, specPath.Child("storageClassName")),
		supported(*spec.VolumeMode, specPath.Child("volumeMode"), volumeModes...))...)
}

// changeVolume: what a volume is made of stays, and how it is attached.
func changeVolume(v, old *corev1.PersistentVolume) field.ErrorList {
	errs := validation.ValidateImmutableField(
		v.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))
	if !equality.Semantic.DeepEqual(
		v.Spec.PersistentVolumeSource, old.Spec.PersistentVolumeSource) {
		errs = append(errs, field.Forbidden(specPath.Child("persistentvolumesource"),
			"spec.persistentvolumesource is immutable after creation"))
	}
	return errs
}

// StorageClass returns the rules of storage.k8s.io/v1 StorageClass.
func StorageClass() controlloop.Rules {
	return typed[*storagev1.StorageClass]{
		fill:   defaultClass,
		check:  checkClass,
		change: changeClass,
	}.rules()
}

func defaultClass(c *storagev1.StorageClass) {
	fill(&c.ReclaimPolicy, new(corev1.PersistentVolumeReclaimDelete))
	fill(&c.VolumeBindingMode, new(storagev1.VolumeBindingImmediate))
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

// changeClass: volumes were made by what the class says.
func changeClass(c, old *storagev1.StorageClass) field.ErrorList {
	fixed := func(value, was any, name string) field.ErrorList {
		return validation.ValidateImmutableField(value, was, field.NewPath(name))
	}
	return slices.Concat(
		fixed(c.Parameters, old.Parameters, "parameters"),
		fixed(c.Provisioner, old.Provisioner, "provisioner"),
		fixed(c.ReclaimPolicy, old.ReclaimPolicy, "reclaimPolicy"),
		fixed(c.VolumeBindingMode, old.VolumeBindingMode, "volumeBindingMode"))
}
