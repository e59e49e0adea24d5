package storage

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// syncVolume writes the state of a volume: free, bound, or released by a
// claim that is gone. (Kubernetes: syncVolume.)
func (b *Binder) syncVolume(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	ref := volume.Spec.ClaimRef
	if ref == nil || ref.UID == "" {
		if isFree(volume) {
			return b.offer(ctx, volume)
		}
		_, err := b.setVolume(ctx, volume, corev1.VolumeAvailable, "")
		return err // the write brings us back
	}
	claim, err := b.claimant(ctx, ref)
	switch {
	case err != nil:
		return err
	case claim == nil:
		return b.release(ctx, volume)
	case claim.Spec.VolumeName == "":
		return b.halfBound(volume, claim)
	case claim.Spec.VolumeName == volume.Name:
		_, err = b.setVolume(ctx, volume, corev1.VolumeBound, "")
		return err
	case has(volume, provisionedBy) && volume.Spec.PersistentVolumeReclaimPolicy ==
		corev1.PersistentVolumeReclaimDelete:
		return b.release(ctx, volume) // made for a claim that took another
	}
	return b.unbind(ctx, volume)
}

// offer gives a free volume to a claim that has waited for one like it. A claim
// that takes another instead is served as well, and the next is asked.
func (b *Binder) offer(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	have := slotOfVolume(volume)
	for _, modes := range b.waiting.modes(have.shape) {
		if !contains(volume.Spec.AccessModes, split(modes)) {
			continue
		}
		for p := range b.waiting.from(have.shape, modes, 0) {
			if p.size > have.size || !b.supply.free.has(have.key) {
				break
			}
			claim, ok := get[*corev1.PersistentVolumeClaim](b.Claims, p.key)
			if !ok || !selects(claim, volume) {
				continue
			}
			if err := b.pending(ctx, claim); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimant returns the claim that a volume is bound to, or nil if it is gone: if
// the store says so, and not merely a cache that may not have heard of it yet.
func (b *Binder) claimant(
	ctx context.Context, ref *corev1.ObjectReference,
) (*corev1.PersistentVolumeClaim, error) {
	key := keyOfRef(ref)
	if claim, ok := get[*corev1.PersistentVolumeClaim](b.Claims, key); ok &&
		claim.UID == ref.UID {
		return claim, nil
	}
	obj, err := b.Client.Get(ctx, ClaimKind, key)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if claim := obj.(*corev1.PersistentVolumeClaim); claim.UID == ref.UID {
		return claim, nil
	}
	return nil, nil // another of the same name
}

// halfBound deals with a volume whose claim does not point back yet: the claim's
// own look will have it do so, if it can.
func (b *Binder) halfBound(
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) error {
	if *volume.Spec.VolumeMode == *claim.Spec.VolumeMode {
		return nil
	}
	b.Recorder.Eventf(volume, corev1.EventTypeWarning, "VolumeMismatch",
		"Cannot bind PersistentVolume to requested PersistentVolumeClaim %q "+
			"due to incompatible volumeMode.", claim.Name)
	b.Recorder.Eventf(claim, corev1.EventTypeWarning, "VolumeMismatch",
		"Cannot bind PersistentVolume %q to requested PersistentVolumeClaim "+
			"due to incompatible volumeMode.", volume.Name)
	return nil
}

// release lets go of a volume whose claim is gone, and follows its policy.
// Retain: it does nothing, and no other claim gets the volume, since the data on
// it belong to a user. Delete: the provisioner that made the disk throws it
// away, and then the volume.
func (b *Binder) release(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	if volume.Status.Phase != corev1.VolumeFailed {
		var err error
		volume, err = b.setVolume(ctx, volume, corev1.VolumeReleased, "")
		if err != nil {
			return err
		}
	}
	switch volume.Spec.PersistentVolumeReclaimPolicy {
	case corev1.PersistentVolumeReclaimDelete:
		if !hasProvisioner(volume) {
			return b.fail(ctx, volume, "VolumeFailedDelete", fmt.Sprintf(
				"error getting deleter volume plugin for volume %q: "+
					"no deletable volume plugin matched", volume.Name))
		}
	case corev1.PersistentVolumeReclaimRecycle:
		return b.fail(ctx, volume, "VolumeFailedRecycle",
			"No recycler plugin found for the volume!")
	}
	return nil
}

// hasProvisioner reports whether a provisioner, and not the binder, deletes the
// disk of a volume.
func hasProvisioner(volume *corev1.PersistentVolume) bool {
	by, ok := volume.Annotations[provisionedBy]
	return ok && !strings.HasPrefix(by, "kubernetes.io/") ||
		volume.Spec.CSI != nil
}

// fail says why a volume could not be reclaimed, once.
func (b *Binder) fail(
	ctx context.Context, volume *corev1.PersistentVolume,
	reason, message string,
) error {
	if volume.Status.Phase == corev1.VolumeFailed {
		return nil
	}
	stored, err := b.setVolume(ctx, volume, corev1.VolumeFailed, message)
	if err == nil {
		b.Recorder.Eventf(
			stored, corev1.EventTypeWarning, reason, "%s", message)
	}
	return err
}
