package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

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
