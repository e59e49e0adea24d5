package storage

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the kinds that this chapter adds.
var (
	ClaimKind  = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	VolumeKind = corev1.SchemeGroupVersion.WithKind("PersistentVolume")
	ClassKind  = storagev1.SchemeGroupVersion.WithKind("StorageClass")

	AttachmentKind = storagev1.SchemeGroupVersion.WithKind("VolumeAttachment")
	DriverKind     = storagev1.SchemeGroupVersion.WithKind("CSIDriver")
)

// Kinds returns the kinds of this chapter, for a store beside
// controlloop.CoreKinds.
func Kinds() []controlloop.Kind {
	return append([]controlloop.Kind{{
		GroupVersionKind: ClaimKind,
		Resource:         "persistentvolumeclaims",
		Namespaced:       true,
		HasStatus:        true,
		New: func() controlloop.Object {
			return &corev1.PersistentVolumeClaim{}
		},
		Rules: controlloop.Rules{
			Default: func(obj controlloop.Object) {
				DefaultClaim(obj.(*corev1.PersistentVolumeClaim))
			},
		},
	}, {
		GroupVersionKind: VolumeKind,
		Resource:         "persistentvolumes",
		HasStatus:        true,
		New: func() controlloop.Object {
			return &corev1.PersistentVolume{}
		},
		Rules: controlloop.Rules{Default: defaultVolume},
	}, {
		GroupVersionKind: ClassKind,
		Resource:         "storageclasses",
		New:              func() controlloop.Object { return &storagev1.StorageClass{} },
		Rules:            controlloop.Rules{Default: defaultStorageClass},
	}}, AttachmentKinds()...)
}

// AttachmentKinds returns those of them that tell of attached volumes.
func AttachmentKinds() []controlloop.Kind {
	return []controlloop.Kind{{
		GroupVersionKind: AttachmentKind,
		Resource:         "volumeattachments",
		HasStatus:        true,
		New: func() controlloop.Object {
			return &storagev1.VolumeAttachment{}
		},
	}, {
		GroupVersionKind: DriverKind,
		Resource:         "csidrivers",
		New:              func() controlloop.Object { return &storagev1.CSIDriver{} },
	}}
}
