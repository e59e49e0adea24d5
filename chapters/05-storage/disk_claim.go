package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// claimOf returns the name of the claim behind a volume, or "" if it has none.
// A claim that lives as long as its Pod is named after both.
func claimOf(pod *corev1.Pod, v *corev1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	}
	return ""
}

// claimed mounts the volume that a claim is bound to.
func (m *Mounts) claimed(
	ctx context.Context, pod *corev1.Pod, v *corev1.Volume, claim string,
) (kubelet.Mount, error) {
	volume, err := m.boundTo(ctx, pod, v, claim)
	if err != nil {
		return kubelet.Mount{}, unprocessed(v.Name, err)
	}
	mount, err := m.persistent(v, volume)
	if csi := volume.Spec.CSI; err == nil && csi != nil && m.devices != nil {
		err = m.devices.publish(ctx, pod.UID, v.Name, csi)
	}
	if err != nil {
		return mount, refusal(volume.Name, err)
	}
	if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ReadOnly {
		mount.ReadOnly = true
	}
	return mount, nil
}

// boundTo returns the volume that is bound to a claim, if each points to the
// other (Kubernetes: desired_state_of_world_populator.go).
func (m *Mounts) boundTo(
	ctx context.Context, pod *corev1.Pod, v *corev1.Volume, name string,
) (*corev1.PersistentVolume, error) {
	claim, err := m.claim(ctx, controlloop.Key{
		Namespace: pod.Namespace, Name: name})
	if err == nil && v.Ephemeral != nil && !metav1.IsControlledBy(claim, pod) {
		return nil, fmt.Errorf("PVC %s/%s was not created for pod %s/%s (pod is "+
			"not owner)", pod.Namespace, name, pod.Namespace, pod.Name)
	}
	var volume *corev1.PersistentVolume
	if err == nil {
		volume, err = m.volume(ctx, claim)
	}
	if err != nil {
		return nil, fmt.Errorf("error processing PVC %s/%s: %w",
			pod.Namespace, name, err)
	}
	mode := volume.Spec.VolumeMode
	if mode != nil && *mode != corev1.PersistentVolumeFilesystem {
		return nil, fmt.Errorf("volume %s has volumeMode %s, but is specified in "+
			"volumeMounts", v.Name, *mode)
	}
	return volume, nil
}

// claim returns a claim that can be used. One that is being deleted can, as long
// as it is kept for the Pods that use it.
func (m *Mounts) claim(
	ctx context.Context, key controlloop.Key,
) (*corev1.PersistentVolumeClaim, error) {
	obj, err := m.client.Get(ctx, ClaimKind, key)
	if err != nil {
		return nil, fmt.Errorf("failed to fetch PVC from API server: %w", err)
	}
	claim := obj.(*corev1.PersistentVolumeClaim)
	kept := slices.Contains(claim.Finalizers, claimInUse)
	switch {
	case claim.DeletionTimestamp != nil && !kept:
		return nil, errors.New("PVC is being deleted")
	case claim.Status.Phase != corev1.ClaimBound:
		return nil, errors.New("PVC is not bound")
	case claim.Spec.VolumeName == "":
		return nil, errors.New("PVC has empty pvc.Spec.VolumeName")
	}
	return claim, nil
}

// volume returns the volume that a claim points to, if that points back.
func (m *Mounts) volume(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) (*corev1.PersistentVolume, error) {
	name := claim.Spec.VolumeName
	obj, err := m.client.Get(ctx, VolumeKind, controlloop.Key{Name: name})
	if err != nil {
		return nil, fmt.Errorf("failed to fetch PV %s from API server: %w", name, err)
	}
	volume := obj.(*corev1.PersistentVolume)
	switch ref := volume.Spec.ClaimRef; {
	case ref == nil:
		return nil, fmt.Errorf("found PV object %s but it has a nil "+
			"pv.Spec.ClaimRef indicating it is not yet bound to the claim", name)
	case ref.UID != claim.UID:
		return nil, fmt.Errorf("found PV object %s but its pv.Spec.ClaimRef.UID "+
			"%s does not point to claim.UID %s", name, ref.UID, claim.UID)
	}
	return volume, nil
}

// made mounts a disk that our driver has made. If that is gone, there is no other:
// an empty one in its place would be taken for what was written.
func (m *Mounts) made(volume, disk string) (kubelet.Mount, error) {
	mount := kubelet.Mount{Source: filepath.Join(m.root, "volumes", disk)}
	if err := isName(disk); err != nil {
		return mount, err
	}
	if _, err := os.Stat(mount.Source); err != nil {
		return mount, missing(volume, mount.Source)
	}
	return mount, nil
}

// persistent mounts a PersistentVolume.
func (m *Mounts) persistent(
	v *corev1.Volume, volume *corev1.PersistentVolume,
) (mount kubelet.Mount, err error) {
	switch source := volume.Spec.PersistentVolumeSource; {
	case source.CSI != nil && source.CSI.Driver == Driver:
		mount, err = m.made(volume.Name, source.CSI.VolumeHandle)
		mount.ReadOnly = source.CSI.ReadOnly
	case source.CSI != nil:
		err = &kubelet.MountError{Reason: fmt.Sprintf(
			"MountVolume.MountDevice failed for volume %q : kubernetes.io/csi: "+
				"attacher.MountDevice failed to create newCsiDriverClient: driver "+
				"name %s not found in the list of registered CSI drivers",
			volume.Name, source.CSI.Driver)}
	case source.HostPath != nil:
		mount, err = m.hostPath(source.HostPath)
	case source.Local != nil:
		mount, err = m.local(volume.Name, source.Local)
	case source.NFS != nil:
		mount, err = m.nfs(source.NFS)
	default:
		err = noPlugin(v.Name, volume.Name)
	}
	return mount, err
}
