package storage

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var specPath = field.NewPath("spec")

func validateClaim(obj controlloop.Object) field.ErrorList {
	return ValidateClaim(&obj.(*corev1.PersistentVolumeClaim).Spec, specPath)
}

// ValidateClaim refuses what could not be compared with any volume.
func ValidateClaim(
	spec *corev1.PersistentVolumeClaimSpec, path *field.Path,
) field.ErrorList {
	return slices.Concat(
		validateModes(spec.AccessModes, path.Child("accessModes"),
			"at least 1 access mode is required"),
		validateSize(spec.Resources.Requests,
			path.Child("resources").Key(string(corev1.ResourceStorage))),
		validateMode(*spec.VolumeMode, path.Child("volumeMode")))
}

func validateVolume(obj controlloop.Object) field.ErrorList {
	spec := &obj.(*corev1.PersistentVolume).Spec
	return slices.Concat(
		validateModes(spec.AccessModes, specPath.Child("accessModes"), ""),
		validateCapacity(spec.Capacity, specPath.Child("capacity")),
		validateMode(*spec.VolumeMode, specPath.Child("volumeMode")))
}

// validateModes checks access modes: there is at least one, each is known, and
// ReadWriteOncePod excludes all others.
func validateModes(
	modes []corev1.PersistentVolumeAccessMode, path *field.Path, missing string,
) (errs field.ErrorList) {
	known := []corev1.PersistentVolumeAccessMode{
		corev1.ReadOnlyMany, corev1.ReadWriteMany,
		corev1.ReadWriteOnce, corev1.ReadWriteOncePod,
	}
	if len(modes) == 0 {
		return field.ErrorList{field.Required(path, missing)}
	}
	for _, mode := range modes {
		if !slices.Contains(known, mode) {
			errs = append(errs, field.NotSupported(path, mode, known))
		}
	}
	others := slices.ContainsFunc(modes,
		func(mode corev1.PersistentVolumeAccessMode) bool {
			return slices.Contains(known[:3], mode)
		})
	if slices.Contains(modes, corev1.ReadWriteOncePod) && others {
		errs = append(errs, field.Forbidden(
			path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

// validateCapacity requires the size of a volume, and nothing else.
func validateCapacity(
	capacity corev1.ResourceList, path *field.Path,
) (errs field.ErrorList) {
	if len(capacity) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	if _, ok := capacity[corev1.ResourceStorage]; !ok || len(capacity) > 1 {
		return append(errs, field.NotSupported(path, capacity,
			[]corev1.ResourceName{corev1.ResourceStorage}))
	}
	return append(errs, validateSize(
		capacity, path.Key(string(corev1.ResourceStorage)))...)
}

func validateSize(sizes corev1.ResourceList, path *field.Path) field.ErrorList {
	size, ok := sizes[corev1.ResourceStorage]
	if !ok {
		return field.ErrorList{field.Required(path, "")}
	}
	if size.Cmp(resource.Quantity{}) <= 0 {
		return field.ErrorList{
			field.Invalid(path, size.String(), "must be greater than zero")}
	}
	return nil
}

func validateMode(
	mode corev1.PersistentVolumeMode, path *field.Path,
) field.ErrorList {
	known := []corev1.PersistentVolumeMode{
		corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem,
	}
	if slices.Contains(known, mode) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, mode, known)}
}

// keepClaim refuses changes: a claim may be bound once, and once bound grow; an
// old one without a class may get one. Nothing else changes.
func keepClaim(obj, before controlloop.Object) field.ErrorList {
	claim := obj.(*corev1.PersistentVolumeClaim)
	old := before.(*corev1.PersistentVolumeClaim)
	now, was := claim.Spec.DeepCopy(), old.Spec.DeepCopy()
	if was.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	annotated, ok := old.Annotations[corev1.BetaStorageClassAnnotation]
	if was.StorageClassName == nil && now.StorageClassName != nil &&
		(!ok || annotated == *now.StorageClassName) {
		was.StorageClassName = now.StorageClassName
	}
	if claim.Status.Phase == corev1.ClaimBound &&
		now.Resources.Requests != nil {
		now.Resources.Requests[corev1.ResourceStorage] =
			was.Resources.Requests[corev1.ResourceStorage]
	}
	var errs field.ErrorList
	if !equality.Semantic.DeepEqual(now, was) {
		errs = append(errs, field.Forbidden(specPath, "spec is immutable after "+
			"creation except resources.requests and volumeAttributesClassName "+
			"for bound claims"))
	}
	got := old.Status.Capacity[corev1.ResourceStorage]
	if sizeOf(claim) < sizeOf(old) && sizeOf(claim) <= got.Value() {
		errs = append(errs, field.Forbidden(
			specPath.Child("resources", "requests", "storage"),
			"field can not be less than status.capacity"))
	}
	return append(errs, validation.ValidateImmutableField(claim.Spec.VolumeMode,
		old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
}

// keepVolume refuses another source, and another mode: a volume
// stays what it is made of.
func keepVolume(obj, old controlloop.Object) field.ErrorList {
	now := &obj.(*corev1.PersistentVolume).Spec
	was := &old.(*corev1.PersistentVolume).Spec
	errs := validation.ValidateImmutableField(
		now.VolumeMode, was.VolumeMode, field.NewPath("volumeMode"))
	if !equality.Semantic.DeepEqual(
		now.PersistentVolumeSource, was.PersistentVolumeSource) {
		errs = append(errs, field.Forbidden(
			specPath.Child("persistentvolumesource"),
			"spec.persistentvolumesource is immutable after creation"))
	}
	return errs
}

// keepClass refuses changes: volumes were made by what the class says.
func keepClass(obj, old controlloop.Object) field.ErrorList {
	now, was := obj.(*storagev1.StorageClass), old.(*storagev1.StorageClass)
	fixed := func(value, was any, name string) field.ErrorList {
		return validation.ValidateImmutableField(
			value, was, field.NewPath(name))
	}
	return slices.Concat(
		fixed(now.Parameters, was.Parameters, "parameters"),
		fixed(now.Provisioner, was.Provisioner, "provisioner"),
		fixed(now.ReclaimPolicy, was.ReclaimPolicy, "reclaimPolicy"),
		fixed(now.VolumeBindingMode, was.VolumeBindingMode, "volumeBindingMode"))
}
