package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// offer gives a free volume to a claim that has waited for one like it, the
// smallest first. A claim that takes another instead is served as well, and the
// next is asked.
func (b *Binder) offer(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	var fitting []*corev1.PersistentVolumeClaim
	for key := range b.waiting {
		claim, ok := get[*corev1.PersistentVolumeClaim](b.Claims, key)
		if ok && mismatch(volume, claim) == nil && selects(claim, volume) {
			fitting = append(fitting, claim)
		}
	}
	slices.SortFunc(fitting, compareClaims)
	for _, claim := range fitting {
		if !b.supply.has(volume) {
			break
		}
		if err := b.pending(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}

// compareClaims orders claims that wait: those that ask for the fewest access
// modes first, of these the smallest.
func compareClaims(a, b *corev1.PersistentVolumeClaim) int {
	first, second := join(a.Spec.AccessModes), join(b.Spec.AccessModes)
	return cmp.Or(
		cmp.Compare(strings.Count(first, ","), strings.Count(second, ",")),
		cmp.Compare(first, second), cmp.Compare(sizeOf(a), sizeOf(b)),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
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
