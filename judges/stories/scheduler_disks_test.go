package stories

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// disks makes claims, volumes and classes, and Pods of a world that mount them.
func (d dice) disks(w *world) {
	w.storage = append(w.storage,
		class("now", "example.com/disk", storagev1.VolumeBindingImmediate),
		class("later", "example.com/disk", storagev1.VolumeBindingWaitForFirstConsumer),
		class("local", "kubernetes.io/no-provisioner",
			storagev1.VolumeBindingWaitForFirstConsumer))
	claims := map[string][]string{}
	for i := range 1 + d.IntN(5) {
		claim := d.claim(fmt.Sprintf("d%d", i+1))
		w.storage = append(w.storage, claim)
		claims[claim.Namespace] = append(claims[claim.Namespace], claim.Name)
	}
	for i := range d.IntN(7) {
		w.storage = append(w.storage, d.volume(fmt.Sprintf("v%d", i+1), w))
	}
	for _, claim := range of[*corev1.PersistentVolumeClaim](w.storage) {
		if !slices.ContainsFunc(w.storage, func(obj controlloop.Object) bool {
			return obj.GetName() == claim.Spec.VolumeName
		}) {
			claim.Spec.VolumeName, claim.Status.Phase = "", corev1.ClaimPending
			delete(claim.Annotations, "pv.kubernetes.io/bind-completed")
		}
	}
	for _, pod := range append(w.pods, w.pod) {
		if pod == w.pod || d.chance(15) {
			for i, name := range some(d, 2, claims[pod.Namespace]...) {
				mount(pod, fmt.Sprintf("m%d", i), name)
			}
		}
	}
	if d.chance(3) {
		w.pod.Spec.Volumes = nil
		mount(w.pod, "none", "none")
	}
}

func mount(pod *corev1.Pod, volume, claim string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: volume,
		VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
}

func (d dice) claim(name string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(d, "a", "a", "b"), Name: name, UID: types.UID("uid-" + name),
		Annotations: map[string]string{},
	}}
	c.Spec = corev1.PersistentVolumeClaimSpec{
		StorageClassName: new(pick(d, "now", "later", "later", "local", "local")),
		AccessModes: []corev1.PersistentVolumeAccessMode{pick(d, corev1.ReadWriteOnce,
			corev1.ReadWriteOnce, corev1.ReadWriteMany, corev1.ReadWriteOncePod)},
		VolumeMode: new(corev1.PersistentVolumeFilesystem),
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
			"storage": q(pick(d, "1Gi", "2Gi", "5Gi"))}},
	}
	c.Status.Phase = corev1.ClaimPending
	switch {
	case d.chance(45): // it has got its volume
		c.Spec.VolumeName = pick(d, "v1", "v2", "v3", "v9")
		c.Status.Phase = corev1.ClaimBound
		c.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
	case d.chance(4): // a user has chosen one for it
		c.Spec.VolumeName = "v1"
	case d.chance(3):
		c.Spec.VolumeName, c.Status.Phase = "v1", corev1.ClaimLost
	case *c.Spec.StorageClassName == "later" && d.chance(20):
		c.Annotations["volume.kubernetes.io/selected-node"] = pick(d, "n1", "n2")
	}
	if d.chance(3) {
		c.DeletionTimestamp = new(metav1.Unix(3_000_000, 0))
		c.Finalizers = []string{"kubernetes.io/pvc-protection"}
	}
	return c
}

// volume returns one that some claim has, if one says so, or that is to be had.
func (d dice) volume(name string, w *world) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("uid-" + name)}}
	v.Spec = corev1.PersistentVolumeSpec{
		Capacity:         corev1.ResourceList{"storage": q(pick(d, "1Gi", "2Gi", "3Gi", "5Gi"))},
		StorageClassName: pick(d, "now", "later", "local", "local"),
		AccessModes: []corev1.PersistentVolumeAccessMode{
			corev1.ReadWriteOnce, corev1.ReadWriteMany, corev1.ReadWriteOncePod},
		VolumeMode: new(corev1.PersistentVolumeFilesystem),
	}
	if d.chance(70) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{d.where()}}}
	}
	v.Status.Phase = corev1.VolumeAvailable
	for _, claim := range of[*corev1.PersistentVolumeClaim](w.storage) {
		if claim.Spec.VolumeName == name && v.Spec.ClaimRef == nil {
			v.Spec.ClaimRef = refTo(claim)
			v.Status.Phase = corev1.VolumeBound
		}
	}
	if v.Spec.ClaimRef == nil && d.chance(20) { // it waits for the end of another
		v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim",
			Namespace: "a", Name: "gone", UID: "uid-gone"}
		v.Status.Phase = corev1.VolumeReleased
	}
	return v
}

func (d dice) where() corev1.NodeSelectorTerm {
	key, values := zone, []string{pick(d, "z1", "z2", "z3")}
	if d.chance(60) {
		key, values = hostname, append(some(d, 2, "n1", "n2", "n3", "n4"), "n5")
	}
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}
}

func refTo(claim *corev1.PersistentVolumeClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{Kind: "PersistentVolumeClaim",
		Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
}
