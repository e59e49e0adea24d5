package storage

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// syncClaim takes a claim a step towards its volume. (Kubernetes: syncClaim.)
func (b *Binder) syncClaim(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) error {
	switch {
	case has(claim, bindCompleted):
		return b.settled(ctx, claim)
	case claim.Spec.VolumeName != "":
		return b.wants(ctx, claim, claim.Spec.VolumeName)
	}
	return b.pending(ctx, claim)
}

// pending looks for the volume of a claim that takes any. If it finds none it
// says what the claim waits for. (Kubernetes: syncUnboundClaim.)
func (b *Binder) pending(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) error {
	class, exists := get[*storagev1.StorageClass](
		b.Classes, controlloop.Key{Name: classOf(claim)})
	delayed := exists && isDelayed(class)
	volume := b.supply.reserved(claim)
	if !delayed {
		volume = b.supply.choose(claim, anyVolume)
	}
	if volume != nil {
		return b.bind(ctx, volume, claim)
	}
	if _, named := ClassOf(claim); !named {
		if best := DefaultClass(b.Classes.List()); best != nil {
			next := controlloop.Copy(claim)
			next.Spec.StorageClassName = &best.Name
			_, err := b.Client.Update(ctx, next)
			return err // the write brings us back
		}
	}
	if !delayed {
		b.waiting[controlloop.KeyOf(claim)] = true
	}
	switch {
	case delayed && !has(claim, selectedNode):
		b.recordWaiting(claim)
	case classOf(claim) != "":
		return b.order(ctx, claim, class)
	default:
		b.Recorder.Eventf(claim, corev1.EventTypeNormal, "FailedBinding",
			"no persistent volumes available for this claim "+
				"and no storage class is set")
	}
	_, err := b.setClaim(ctx, claim, corev1.ClaimPending, nil)
	return err
}

// wants deals with a claim that asks for one volume by its name.
func (b *Binder) wants(
	ctx context.Context, claim *corev1.PersistentVolumeClaim, name string,
) error {
	volume := b.supply.named(name)
	switch {
	case volume == nil: // its creation brings us back
	case isFor(volume, claim):
		return b.bind(ctx, volume, claim)
	case volume.Spec.ClaimRef != nil:
		b.Recorder.Eventf(claim, corev1.EventTypeWarning, "FailedBinding",
			"volume %q already bound to a different claim.", name)
	default:
		err := mismatch(volume, claim)
		if err == nil {
			return b.bind(ctx, volume, claim)
		}
		b.Recorder.Eventf(claim, corev1.EventTypeWarning, "VolumeMismatch",
			"Cannot bind to requested volume %q: %s", name, err)
	}
	_, err := b.setClaim(ctx, claim, corev1.ClaimPending, nil)
	return err
}

// settled looks after a claim that was bound once. It never gets another
// volume: its data were on that one. (Kubernetes: syncBoundClaim.)
func (b *Binder) settled(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) error {
	if claim.Spec.VolumeName == "" {
		return b.lost(ctx, claim, "ClaimLost", "Bound claim has lost "+
			"reference to PersistentVolume. Data on the volume is lost!")
	}
	volume, err := b.volumeOf(ctx, claim)
	switch {
	case err != nil:
		return err
	case volume == nil:
		return b.lost(ctx, claim, "ClaimLost", "Bound claim has lost "+
			"its PersistentVolume. Data on the volume is lost!")
	case mayBeOf(volume, claim):
		return b.bind(ctx, volume, claim)
	}
	return b.lost(ctx, claim, "ClaimMisbound", "Two claims are bound "+
		"to the same volume, this one is bound incorrectly")
}

// volumeOf returns the volume that a claim is bound to, or nil if it is gone. The
// store has to say that it is gone, or is another's, and not merely a cache that
// may not have heard of it yet.
func (b *Binder) volumeOf(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) (*corev1.PersistentVolume, error) {
	name := claim.Spec.VolumeName
	if volume := b.supply.named(name); volume != nil && mayBeOf(volume, claim) {
		return volume, nil
	}
	obj, err := b.Client.Get(ctx, VolumeKind, controlloop.Key{Name: name})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.PersistentVolume), nil
}

// mayBeOf reports whether a claim that names a volume is the one it is bound to,
// or could be, for it is bound to none.
func mayBeOf(
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) bool {
	ref := volume.Spec.ClaimRef
	return ref == nil || ref.UID == claim.UID
}
