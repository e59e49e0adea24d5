package storage

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// DefaultClaim fills in the fields that its author left out: of a claim, or of
// the template of one. (Kubernetes: pkg/apis/core/v1/defaults.go.)
func DefaultClaim(claim *corev1.PersistentVolumeClaim) {
	controlloop.Fill(&claim.Status.Phase, corev1.ClaimPending)
	controlloop.Fill(&claim.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
}

// defaultVolume fills in what was left out of a volume. The data on one that
// was made by hand are kept.
func defaultVolume(obj controlloop.Object) {
	volume := obj.(*corev1.PersistentVolume)
	controlloop.Fill(&volume.Status.Phase, corev1.VolumePending)
	controlloop.Fill(&volume.Spec.PersistentVolumeReclaimPolicy,
		corev1.PersistentVolumeReclaimRetain)
	controlloop.Fill(&volume.Spec.VolumeMode, new(corev1.PersistentVolumeFilesystem))
}

// defaultStorageClass fills in what was left out of a class. The data on a
// volume that was made on demand are not kept.
func defaultStorageClass(obj controlloop.Object) {
	class := obj.(*storagev1.StorageClass)
	controlloop.Fill(&class.ReclaimPolicy, new(corev1.PersistentVolumeReclaimDelete))
	controlloop.Fill(&class.VolumeBindingMode, new(storagev1.VolumeBindingImmediate))
}
