package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
		b.waiting.put(slotOfClaim(claim))
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

func anyVolume(*corev1.PersistentVolume) bool { return true }

// isDelayed reports whether the claims of a class wait until it is known where
// their first consumer will run.
func isDelayed(class *storagev1.StorageClass) bool {
	mode := class.VolumeBindingMode
	return mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer
}

// DefaultClass returns the class of the claims that say nothing of one: the
// newest that is marked so, or nil.
func DefaultClass(classes []controlloop.Object) *storagev1.StorageClass {
	var newest *storagev1.StorageClass
	for _, obj := range classes { // by name, so that of two the first counts
		class := obj.(*storagev1.StorageClass)
		if class.Annotations[defaultClass] == "true" && (newest == nil ||
			newest.CreationTimestamp.Before(&class.CreationTimestamp)) {
			newest = class
		}
	}
	return newest
}

// recordWaiting records an event that names the Pods a claim waits for.
func (b *Binder) recordWaiting(claim *corev1.PersistentVolumeClaim) {
	var names []string
	key := controlloop.KeyOf(claim).String()
	for _, obj := range b.Pods.Lookup(byClaim, key) {
		pod := obj.(*corev1.Pod)
		if !controlloop.HasEnded(pod) && pod.Spec.NodeName == "" {
			names = append(names, pod.Name)
		}
	}
	slices.Sort(names)
	reason, message := "WaitForPodScheduled", ""
	switch len(names) {
	case 0:
		reason = "WaitForFirstConsumer"
		message = "waiting for first consumer to be created before binding"
	case 1:
		message = fmt.Sprintf("waiting for pod %s to be scheduled", names[0])
	default:
		message = fmt.Sprintf("waiting for pods %s to be scheduled",
			strings.Join(names, ","))
	}
	b.Recorder.Eventf(claim, corev1.EventTypeNormal, reason, "%s", message)
}

// order asks the provisioner of a claim's class for a volume, by
// writing its name on the claim: it watches claims, and the binder need
// not know where it runs.
func (b *Binder) order(
	ctx context.Context,
	claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass,
) error {
	var failure string
	switch {
	case class == nil:
		failure = fmt.Sprintf(
			"storageclass.storage.k8s.io %q not found", classOf(claim))
	case strings.HasPrefix(class.Provisioner, "kubernetes.io/"):
		failure = "no volume plugin matched name: " + class.Provisioner
	}
	if failure != "" {
		b.Recorder.Eventf(
			claim, corev1.EventTypeWarning, "ProvisioningFailed", "%s", failure)
		return nil
	}
	if claim.Annotations[storageProvisioner] != class.Provisioner {
		next := controlloop.Copy(claim)
		annotate(next, betaStorageProvisioner, class.Provisioner)
		annotate(next, storageProvisioner, class.Provisioner)
		if _, err := b.Client.Update(ctx, next); err != nil {
			return err
		}
	}
	b.Recorder.Eventf(claim, corev1.EventTypeNormal, "ExternalProvisioning",
		"Waiting for a volume to be created either by the external provisioner "+
			"'%s' or manually by the system administrator. If volume creation is "+
			"delayed, please verify that the provisioner is running and correctly "+
			"registered.", class.Provisioner)
	return nil
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

// lost says that a claim has lost its volume, once.
func (b *Binder) lost(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
	reason, message string,
) error {
	if claim.Status.Phase == corev1.ClaimLost {
		return nil
	}
	stored, err := b.setClaim(ctx, claim, corev1.ClaimLost, nil)
	if err == nil {
		b.Recorder.Eventf(
			stored, corev1.EventTypeWarning, reason, "%s", message)
	}
	return err
}
