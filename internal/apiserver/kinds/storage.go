package kinds

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/rules"
)

// storage are the kinds of storage.k8s.io/v1, and those of core/v1 that are
// about volumes.
func storage() []Kind {
	return []Kind{
		{
			Kind: controlloop.Kind{
				GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
				Resource:         "persistentvolumeclaims",
				Namespaced:       true,
				HasStatus:        true,
				New:              func() controlloop.Object { return &corev1.PersistentVolumeClaim{} },
				Rules:            rules.PersistentVolumeClaim(),
			},
			ShortNames: []string{"pvc"},
			Set:        columns.PersistentVolumeClaim,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
				Resource:         "persistentvolumes",
				HasStatus:        true,
				New:              func() controlloop.Object { return &corev1.PersistentVolume{} },
				Rules:            rules.PersistentVolume(),
			},
			ShortNames: []string{"pv"},
			Set:        columns.PersistentVolume,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("StorageClass"),
				Resource:         "storageclasses",
				New:              func() controlloop.Object { return &storagev1.StorageClass{} },
				Rules:            rules.StorageClass(),
			},
			ShortNames: []string{"sc"},
			Set:        columns.StorageClass,
		},
	}
}
