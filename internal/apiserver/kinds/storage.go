package kinds

import (
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/apiserver/rules"
)

// volumes returns the kinds of storage.k8s.io/v1, and those of core/v1
// that are about volumes.
func volumes() []Kind {
	return []Kind{
		{
			Kind:       beyond(storage.ClaimKind, rules.PersistentVolumeClaim()),
			ShortNames: []string{"pvc"},
		},
		{
			Kind:       beyond(storage.VolumeKind, rules.PersistentVolume()),
			ShortNames: []string{"pv"},
		},
		{
			Kind:       beyond(storage.ClassKind, rules.StorageClass()),
			ShortNames: []string{"sc"},
		},
	}
}
