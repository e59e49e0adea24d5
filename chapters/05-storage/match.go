package storage

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// classOf returns the class that a claim asks for; "" is none.
func classOf(claim *corev1.PersistentVolumeClaim) string {
	class, _ := ClassOf(claim)
	return class
}

// ClassOf returns the class that a claim names, which may be "", and whether it
// names one. It may do so in an annotation, which is older than the field and
// wins.
func ClassOf(claim *corev1.PersistentVolumeClaim) (class string, is bool) {
	return named(claim, claim.Spec.StorageClassName)
}

// classOfVolume returns the class of a volume; "" is none.
func classOfVolume(volume *corev1.PersistentVolume) string {
	class, _ := named(volume, &volume.Spec.StorageClassName)
	return class
}

func named(obj controlloop.Object, inSpec *string) (class string, is bool) {
	if old, ok := obj.GetAnnotations()[corev1.BetaStorageClassAnnotation]; ok {
		return old, true
	}
	return ptr.Deref(inSpec, ""), inSpec != nil
}

// sizeOf returns the size that a claim asks for, in bytes.
func sizeOf(claim *corev1.PersistentVolumeClaim) int64 {
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return size.Value()
}

// capacityOf returns the size of a volume, in bytes.
func capacityOf(volume *corev1.PersistentVolume) int64 {
	size := volume.Spec.Capacity[corev1.ResourceStorage]
	return size.Value()
}

// mismatch returns nil if a volume is what a claim asks for, and otherwise says
// why not. Whether the volume can be had is another question. (Kubernetes:
// checkVolumeSatisfyClaim in pkg/controller/volume/persistentvolume.)
func mismatch(
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) error {
	switch {
	case volume.DeletionTimestamp != nil:
		return fmt.Errorf("the volume is marked for deletion %q", volume.Name)
	case capacityOf(volume) < sizeOf(claim):
		return fmt.Errorf("requested PV is too small")
	case classOfVolume(volume) != classOf(claim):
		return fmt.Errorf("storageClassName does not match")
	case ptr.Deref(volume.Spec.VolumeAttributesClassName, "") !=
		ptr.Deref(claim.Spec.VolumeAttributesClassName, ""):
		return fmt.Errorf("volumeAttributesClassName does not match")
	case *volume.Spec.VolumeMode != *claim.Spec.VolumeMode:
		return fmt.Errorf("incompatible volumeMode")
	case !contains(volume.Spec.AccessModes, claim.Spec.AccessModes):
		return fmt.Errorf("incompatible accessMode")
	}
	return nil
}

// contains reports whether all of the wanted modes are among those of a volume.
func contains(there, wanted []corev1.PersistentVolumeAccessMode) bool {
	return !slices.ContainsFunc(wanted,
		func(mode corev1.PersistentVolumeAccessMode) bool {
			return !slices.Contains(there, mode)
		})
}

// isFree reports whether any claim may have a volume.
func isFree(volume *corev1.PersistentVolume) bool {
	return volume.Spec.ClaimRef == nil && volume.DeletionTimestamp == nil &&
		volume.Status.Phase == corev1.VolumeAvailable
}

// selects reports whether a claim's selector, if it has one, takes a volume.
func selects(
	claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume,
) bool {
	if claim.Spec.Selector == nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(volume.Labels))
}

// isFor reports whether a volume is reserved for a claim, or bound to it. A
// reservation knows the name only; a binding also which of the claims that ever
// had that name.
func isFor(
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil &&
		ref.Namespace == claim.Namespace && ref.Name == claim.Name &&
		(ref.UID == "" || ref.UID == claim.UID)
}
