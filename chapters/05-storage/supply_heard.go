package storage

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// newSupply returns the supply of a system, which keeps itself up to date.
func newSupply(s *controlloop.System) *supply {
	volumes := volumesOf(s)
	all := &supply{
		client: s.Client, volumes: volumes.Cache, given: map[controlloop.Key]bool{},
	}
	heard := func(volume controlloop.Object) { all.note(volume, false) }
	volumes.Handle(controlloop.Handler{
		OnAdd:    heard,
		OnUpdate: func(_, volume controlloop.Object) { heard(volume) },
		OnDelete: heard,
	})
	return all
}

// note notes that a volume has been given away, or that the cache has heard of
// it.
func (s *supply) note(volume controlloop.Object, given bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if given {
		s.given[controlloop.KeyOf(volume)] = true
	} else {
		delete(s.given, controlloop.KeyOf(volume))
	}
}

// named returns the volume of that name, or nil.
func (s *supply) named(name string) *corev1.PersistentVolume {
	volume, _ := get[*corev1.PersistentVolume](
		s.volumes, controlloop.Key{Name: name})
	return volume
}

// countModes returns how many access modes a volume has.
func countModes(volume *corev1.PersistentVolume) int {
	return strings.Count(join(volume.Spec.AccessModes), ",") + 1
}

// join writes access modes as a text: each once, in order.
func join(modes []corev1.PersistentVolumeAccessMode) string {
	var words []string
	for _, mode := range modes {
		words = append(words, string(mode))
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ",")
}

// has reports whether any claim may have a volume.
func (s *supply) has(volume *corev1.PersistentVolume) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isFree(volume) && !s.given[controlloop.KeyOf(volume)]
}
