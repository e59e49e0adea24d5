package storage

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// DefaultClaim fills in the fields that its author left out: of a claim, or of
// the template of one. (Kubernetes: pkg/apis/core/v1/defaults.go.)
func DefaultClaim(claim *corev1.PersistentVolumeClaim) {
	fill(&claim.Status.Phase, corev1.ClaimPending)
	fill(&claim.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
}

// defaultVolume fills in what was left out of a volume. The data on one that
// was made by hand are kept.
func defaultVolume(obj controlloop.Object) {
	volume := obj.(*corev1.PersistentVolume)
	fill(&volume.Status.Phase, corev1.VolumePending)
	fill(&volume.Spec.PersistentVolumeReclaimPolicy,
		corev1.PersistentVolumeReclaimRetain)
	fill(&volume.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
}

// defaultStorageClass fills in what was left out of a class. The data on a
// volume that was made on demand are not kept.
func defaultStorageClass(obj controlloop.Object) {
	class := obj.(*storagev1.StorageClass)
	fill(&class.ReclaimPolicy, new(corev1.PersistentVolumeReclaimDelete))
	fill(&class.VolumeBindingMode, new(storagev1.VolumeBindingImmediate))
}

func fill[T comparable](field *T, value T) {
	var empty T
	if *field == empty {
		*field = value
	}
}
