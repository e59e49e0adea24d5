package lab

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// standard is the class of claims that name none: folders of this machine. A new
// cluster begins with it, so that its uid takes none from those that come after.
func standard() *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: "standard", UID: "00000000-0000-4000-8000-000000000001",
			ResourceVersion: "1", CreationTimestamp: controlloop.Now(),
			Annotations: map[string]string{
				"storageclass.kubernetes.io/is-default-class": "true",
			},
		},
		Provisioner:          storage.Driver,
		ReclaimPolicy:        new(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode:    new(storagev1.VolumeBindingImmediate),
		AllowVolumeExpansion: new(true),
	}
}

// renewed is the class for a cluster that has none any more: the store says when
// it was made.
func renewed() *storagev1.StorageClass {
	class := standard()
	class.ObjectMeta = metav1.ObjectMeta{
		Name: class.Name, Annotations: class.Annotations,
	}
	return class
}
