package storage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// bind makes a volume and a claim point to each other: first the volume, so
// that no other claim can have it, then the claim, which so becomes whole. It
// may stop after any of its writes: the next look finds a volume that names its
// claim, and goes on from there.
//
//book:exercise 5c
func (b *Binder) bind(
	ctx context.Context,
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) error {
	volume, err := b.supply.point(ctx, volume, claim)
	if err != nil {
		return fmt.Errorf("bind a volume to %s: %w", controlloop.KeyOf(claim), err)
	}
	volume, err = b.setVolume(ctx, volume, corev1.VolumeBound, "")
	if err != nil {
		return err
	}
	claim, err = b.answer(ctx, claim, volume)
	if err != nil {
		return fmt.Errorf("bind a claim to %s: %w", volume.Name, err)
	}
	_, err = b.setClaim(ctx, claim, corev1.ClaimBound, volume)
	return err
}

// answer makes a claim name its volume, and notes that this is settled: from
// here on a claim whose volume is gone has lost something.
func (b *Binder) answer(
	ctx context.Context,
	claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume,
) (*corev1.PersistentVolumeClaim, error) {
	if claim.Spec.VolumeName == volume.Name && has(claim, bindCompleted) {
		return claim, nil
	}
	next := controlloop.Copy(claim)
	if next.Spec.VolumeName != volume.Name {
		next.Spec.VolumeName = volume.Name
		annotate(next, boundByController, "yes")
	}
	annotate(next, bindCompleted, "yes")
	stored, err := b.Client.Update(ctx, next)
	if err != nil {
		return nil, err
	}
	delete(b.waiting, controlloop.KeyOf(claim))
	return stored.(*corev1.PersistentVolumeClaim), nil
}
