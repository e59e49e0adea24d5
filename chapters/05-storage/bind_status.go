package storage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// setVolume writes a volume's phase and the reason, if that is news.
func (b *Binder) setVolume(
	ctx context.Context, volume *corev1.PersistentVolume,
	phase corev1.PersistentVolumePhase, message string,
) (*corev1.PersistentVolume, error) {
	if volume.Status.Phase == phase {
		return volume, nil
	}
	next := controlloop.Copy(volume)
	next.Status.Phase, next.Status.Message = phase, message
	stored, err := b.Client.UpdateStatus(ctx, next)
	if err != nil {
		return nil, fmt.Errorf("status of volume %s: %w", volume.Name, err)
	}
	return stored.(*corev1.PersistentVolume), nil
}

// setClaim writes a claim's phase, and the capacity and access modes that it
// has got, if that is news; without a volume it has got none. The capacity is
// the volume's at the moment of binding; later a claim may have grown.
func (b *Binder) setClaim(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
	phase corev1.PersistentVolumeClaimPhase, volume *corev1.PersistentVolume,
) (*corev1.PersistentVolumeClaim, error) {
	next := controlloop.Copy(claim)
	next.Status.Phase = phase
	next.Status.AccessModes = nil
	if volume == nil {
		next.Status.Capacity = nil
	} else {
		next.Status.AccessModes = volume.Spec.AccessModes
		if claim.Status.Phase != phase {
			next.Status.Capacity = volume.Spec.Capacity
		}
	}
	if equality.Semantic.DeepEqual(next.Status, claim.Status) {
		return claim, nil
	}
	stored, err := b.Client.UpdateStatus(ctx, next)
	if err != nil {
		return nil, fmt.Errorf(
			"status of claim %s: %w", controlloop.KeyOf(claim), err)
	}
	return stored.(*corev1.PersistentVolumeClaim), nil
}

// unbind takes back what point wrote. A reservation that a user made by hand
// stays.
func (b *Binder) unbind(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	next := controlloop.Copy(volume)
	if has(volume, boundByController) {
		delete(next.Annotations, boundByController)
		next.Spec.ClaimRef = nil
	} else {
		next.Spec.ClaimRef.UID = ""
	}
	stored, err := b.Client.Update(ctx, next)
	if err != nil {
		return err
	}
	_, err = b.setVolume(
		ctx, stored.(*corev1.PersistentVolume), corev1.VolumeAvailable, "")
	return err
}
