package storage_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

const completed = "pv.kubernetes.io/bind-completed"

// oneToOne returns an error when a volume changes its claim for another while
// the first exists and points back, or when two claims point to one volume.
func oneToOne(w kubetest.Write, before []kubetest.Write) error {
	claim, ok := w.Object.(*corev1.PersistentVolumeClaim)
	if !ok || w.Type == watch.Deleted || claim.Spec.VolumeName == "" ||
		claim.Annotations[completed] == "" {
		return nil
	}
	if old, ok := w.Old.(*corev1.PersistentVolumeClaim); ok &&
		old.Annotations[completed] != "" && old.Spec.VolumeName == claim.Spec.VolumeName {
		return nil // nothing new
	}
	there := map[string]*corev1.PersistentVolumeClaim{}
	for _, b := range before {
		if other, ok := b.Object.(*corev1.PersistentVolumeClaim); ok {
			there[other.Namespace+"/"+other.Name] = other
			if b.Type == watch.Deleted {
				delete(there, other.Namespace+"/"+other.Name)
			}
		}
	}
	for key, other := range there {
		if other.UID != claim.UID && other.Spec.VolumeName == claim.Spec.VolumeName &&
			other.Annotations[completed] != "" {
			return fmt.Errorf("%s gets volume %s, which %s has",
				claim.Name, claim.Spec.VolumeName, key)
		}
	}
	return nil
}

// nothingLost returns an error when a volume goes whose policy is to be
// retained, unless a user deletes it, or any volume while a claim is bound to
// it.
func nothingLost(w kubetest.Write, _ []kubetest.Write) error {
	v, ok := w.Object.(*corev1.PersistentVolume)
	if !ok || w.Type != watch.Deleted {
		return nil
	}
	if v.Status.Phase == corev1.VolumeBound {
		return fmt.Errorf("volume %s goes while it is bound", v.Name)
	}
	if v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain &&
		v.Annotations["test/by-hand"] == "" {
		return fmt.Errorf("volume %s goes, and was to be kept", v.Name)
	}
	return nil
}
