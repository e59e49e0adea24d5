package kinds

import (
	storage "reconcile/chapters/05-storage"
)

// volumes returns the kinds of storage.k8s.io/v1, and those of core/v1
// that are about volumes.
func volumes() []Kind {
	return []Kind{
		{
			Kind:       taught(storage.ClaimKind),
			ShortNames: []string{"pvc"},
		},
		{
			Kind:       taught(storage.VolumeKind),
			ShortNames: []string{"pv"},
		},
		{
			Kind:       taught(storage.ClassKind),
			ShortNames: []string{"sc"},
		},
	}
}
