package storage

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

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
