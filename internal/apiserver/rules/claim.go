package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var (
	accessModes = []corev1.PersistentVolumeAccessMode{
		corev1.ReadOnlyMany, corev1.ReadWriteMany,
		corev1.ReadWriteOnce, corev1.ReadWriteOncePod,
	}
	volumeModes = []corev1.PersistentVolumeMode{
		corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem,
	}
	reclaimPolicies = []corev1.PersistentVolumeReclaimPolicy{
		corev1.PersistentVolumeReclaimDelete,
		corev1.PersistentVolumeReclaimRecycle,
		corev1.PersistentVolumeReclaimRetain,
	}
)

// PersistentVolumeClaim returns the rules of core/v1 PersistentVolumeClaim.
func PersistentVolumeClaim() controlloop.Rules {
	return typed[*corev1.PersistentVolumeClaim]{
		fill: defaultClaim,
		check: func(c *corev1.PersistentVolumeClaim) field.ErrorList {
			return checkClaimSpec(&c.Spec, specPath)
		},
		change: changeClaim,
	}.rules()
}

func defaultClaim(c *corev1.PersistentVolumeClaim) {
	fill(&c.Status.Phase, corev1.ClaimPending)
	fill(&c.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
}

func checkClaimSpec(
	spec *corev1.PersistentVolumeClaimSpec, path *field.Path,
) field.ErrorList {
	errs := checkModes(spec.AccessModes, path.Child("accessModes"),
		"at least 1 access mode is required")
	if spec.Selector != nil {
		errs = append(errs, metavalidation.ValidateLabelSelector(spec.Selector,
			metavalidation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	}
	errs = append(errs, checkSize(spec.Resources.Requests,
		path.Child("resources").Key(string(corev1.ResourceStorage)))...)
	if spec.StorageClassName != nil {
		errs = append(errs, checkClassName(
			*spec.StorageClassName, path.Child("storageClassName"))...)
	}
	return append(errs,
		supported(*spec.VolumeMode, path.Child("volumeMode"), volumeModes...)...)
}

// checkModes: ReadWriteOncePod excludes all others.
func checkModes(
	modes []corev1.PersistentVolumeAccessMode, path *field.Path, missing string,
) field.ErrorList {
	if len(modes) == 0 {
		return field.ErrorList{field.Required(path, missing)}
	}
	var errs field.ErrorList
	alone, others := false, false
	for _, mode := range modes {
		switch {
		case mode == corev1.ReadWriteOncePod:
			alone = true
		case slices.Contains(accessModes, mode):
			others = true
		default:
			errs = append(errs, field.NotSupported(path, mode, accessModes))
		}
	}
	if alone && others {
		errs = append(errs, field.Forbidden(
			path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

// checkCapacity wants the size of a volume, and nothing else.
func checkCapacity(capacity corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(capacity) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	if _, ok := capacity[corev1.ResourceStorage]; !ok || len(capacity) > 1 {
		return append(errs, field.NotSupported(path, capacity,
			[]corev1.ResourceName{corev1.ResourceStorage}))
	}
	return append(errs, checkSize(capacity, path.Key(string(corev1.ResourceStorage)))...)
}

func checkSize(sizes corev1.ResourceList, path *field.Path) field.ErrorList {
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

func checkClassName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalid(name, path, validation.NameIsDNSSubdomain(name, false))
}

// changeClaim: a claim may be bound once, and once bound grow; an old one
// without a class may get one. Nothing else changes.
func changeClaim(c, old *corev1.PersistentVolumeClaim) field.ErrorList {
	now, was := c.Spec.DeepCopy(), old.Spec.DeepCopy()
	if was.VolumeName == "" {
		was.VolumeName = now.VolumeName
	}
	annotated, ok := old.Annotations[corev1.BetaStorageClassAnnotation]
	if was.StorageClassName == nil && now.StorageClassName != nil &&
		(!ok || annotated == *now.StorageClassName) {
		was.StorageClassName = now.StorageClassName
	}
	before := was.Resources.Requests[corev1.ResourceStorage]
	after := now.Resources.Requests[corev1.ResourceStorage]
	if c.Status.Phase == corev1.ClaimBound && now.Resources.Requests != nil {
		now.Resources.Requests[corev1.ResourceStorage] = before
	}
	var errs field.ErrorList
	if !equality.Semantic.DeepEqual(now, was) {
		errs = append(errs, field.Forbidden(specPath, "spec is immutable after "+
			"creation except resources.requests and volumeAttributesClassName "+
			"for bound claims"))
	}
	if after.Cmp(before) < 0 && after.Cmp(old.Status.Capacity[corev1.ResourceStorage]) <= 0 {
		errs = append(errs, field.Forbidden(
			specPath.Child("resources", "requests", "storage"),
			"field can not be less than status.capacity"))
	}
	return append(errs, validation.ValidateImmutableField(
		c.Spec.VolumeMode, old.Spec.VolumeMode, field.NewPath("volumeMode"))...)
}
