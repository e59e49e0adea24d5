package storage

import (
	"cmp"
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// supply knows all volumes, and which of them can be had.
type supply struct {
	client  controlloop.Client
	volumes *controlloop.Indexer

	mu    sync.Mutex
	given map[controlloop.Key]bool // of which the cache has not heard yet
}

// choose returns the volume that a claim gets of those that will do, or nil: one
// that is reserved for it, else the smallest that is large enough. Volumes that
// can do no more than was asked come first, whatever the sizes; a reservation,
// too, waits until it is its turn. (Kubernetes: findByClaim in
// pkg/controller/volume/persistentvolume/index.go.)
//
//book:exercise 5a
func (s *supply) choose(
	claim *corev1.PersistentVolumeClaim, will func(*corev1.PersistentVolume) bool,
) *corev1.PersistentVolume {
	var best *corev1.PersistentVolume
	for _, obj := range s.volumes.List() {
		volume := obj.(*corev1.PersistentVolume)
		if s.has(volume) && mismatch(volume, claim) == nil &&
			selects(claim, volume) && will(volume) &&
			(best == nil || comparePlaces(volume, best) < 0) {
			best = volume
		}
	}
	reserved := s.reserved(claim)
	if best == nil || reserved != nil && countModes(best) >= countModes(reserved) {
		return reserved
	}
	return best
}

// comparePlaces orders volumes that fit: those that can do the fewest things
// first, of these the smallest. Names decide between equals.
func comparePlaces(a, b *corev1.PersistentVolume) int {
	return cmp.Or(cmp.Compare(countModes(a), countModes(b)),
		cmp.Compare(join(a.Spec.AccessModes), join(b.Spec.AccessModes)),
		cmp.Compare(capacityOf(a), capacityOf(b)),
		cmp.Compare(a.Name, b.Name))
}

// reserved returns a volume that names a claim and is large enough, or nil. The
// administrator who reserved it decided on its class and its labels.
func (s *supply) reserved(
	claim *corev1.PersistentVolumeClaim,
) *corev1.PersistentVolume {
	key := controlloop.KeyOf(claim).String()
	for _, obj := range s.volumes.Lookup(byClaim, key) {
		volume := obj.(*corev1.PersistentVolume)
		if isFor(volume, claim) && volume.DeletionTimestamp == nil &&
			capacityOf(volume) >= sizeOf(claim) &&
			ptr.Deref(volume.Spec.VolumeAttributesClassName, "") ==
				ptr.Deref(claim.Spec.VolumeAttributesClassName, "") &&
			*volume.Spec.VolumeMode == *claim.Spec.VolumeMode &&
			contains(volume.Spec.AccessModes, claim.Spec.AccessModes) {
			return volume
		}
	}
	return nil
}

// point makes a volume name its claim, which puts it out of the others' reach.
// It notes that a controller made the choice, which may change its mind.
//
//book:exercise 5c
func (s *supply) point(
	ctx context.Context,
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) (*corev1.PersistentVolume, error) {
	if isFor(volume, claim) && volume.Spec.ClaimRef.UID == claim.UID {
		return volume, nil
	}
	next := controlloop.Copy(volume)
	if !isFor(volume, claim) {
		annotate(next, boundByController, "yes")
	}
	next.Spec.ClaimRef = refTo(claim)
	stored, err := s.client.Update(ctx, next)
	if err != nil {
		return nil, err
	}
	s.note(volume, true) // the cache will know later
	return stored.(*corev1.PersistentVolume), nil
}
