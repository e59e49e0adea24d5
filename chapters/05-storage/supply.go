package storage

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// supply knows all volumes, and which of them can be had.
type supply struct {
	client  controlloop.Client
	volumes *controlloop.Indexer
	free    *rack
}

// newSupply returns the supply of a system, which keeps itself up to date.
func newSupply(s *controlloop.System) *supply {
	volumes := volumesOf(s)
	all := &supply{s.Client, volumes.Cache, newRack()}
	volumes.Handle(controlloop.Handler{
		OnAdd:    all.shelve,
		OnUpdate: func(_, volume controlloop.Object) { all.shelve(volume) },
		OnDelete: func(volume controlloop.Object) {
			all.free.drop(controlloop.KeyOf(volume))
		},
	})
	return all
}

// shelve puts a volume where claims find it, if it is free.
func (s *supply) shelve(obj controlloop.Object) {
	if volume := obj.(*corev1.PersistentVolume); isFree(volume) {
		s.free.put(slotOfVolume(volume))
	} else {
		s.free.drop(controlloop.KeyOf(volume))
	}
}

// named returns the volume of that name, or nil.
func (s *supply) named(name string) *corev1.PersistentVolume {
	volume, _ := get[*corev1.PersistentVolume](
		s.volumes, controlloop.Key{Name: name})
	return volume
}

// choose returns the volume that a claim gets of those that will do, or nil: one
// that is reserved for it, else the smallest that is large enough. Volumes that
// can do no more than was asked come first, whatever the sizes; a reservation,
// too, waits until it is its turn. (Kubernetes: findByClaim in
// pkg/controller/volume/persistentvolume/index.go.)
//
//book:exercise 5.1
func (s *supply) choose(
	claim *corev1.PersistentVolumeClaim, will func(*corev1.PersistentVolume) bool,
) *corev1.PersistentVolume {
	reserved := s.reserved(claim)
	want := slotOfClaim(claim)
	for _, modes := range s.free.modes(want.shape) {
		if reserved != nil && strings.Count(modes, ",") >=
			strings.Count(join(reserved.Spec.AccessModes), ",") {
			return reserved
		}
		if !contains(split(modes), claim.Spec.AccessModes) {
			continue
		}
		for p := range s.free.from(want.shape, modes, want.size) {
			volume := s.named(p.key.Name)
			if volume != nil && isFree(volume) && selects(claim, volume) &&
				will(volume) {
				return volume
			}
		}
	}
	return reserved
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
			slotOfVolume(volume).attributes == slotOfClaim(claim).attributes &&
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
//book:exercise 5.3
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
	s.free.drop(controlloop.KeyOf(volume)) // the cache will know later
	return stored.(*corev1.PersistentVolume), nil
}
