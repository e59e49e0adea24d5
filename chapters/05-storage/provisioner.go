package storage

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Backend makes disks, and throws them away. Both may be asked again
// for what they have done.
type Backend interface {
	Make(disk string) error
	Remove(disk string) error
}

// Provisioner makes a volume for each claim that orders one. It knows the
// binder only by what both write on claims and volumes: it could run anywhere,
// and others run beside it.
type Provisioner struct {
	Client                   controlloop.Client
	Name                     string // its name in classes
	Claims, Volumes, Classes *controlloop.Indexer
	Recorder                 controlloop.Recorder
	Backend                  Backend
}

// NewProvisioner returns the controller that makes volumes for the classes of a
// provisioner.
func NewProvisioner(
	s *controlloop.System, name string, backend Backend,
) *controlloop.Controller {
	claims, volumes := claimsOf(s), volumesOf(s)
	classes := s.Informer(ClassKind, controlloop.ListOptions{})
	c := controlloop.NewController("provisioner", &Provisioner{
		Client: s.Client, Name: name, Claims: claims.Cache,
		Volumes: volumes.Cache, Classes: classes.Cache,
		Recorder: s.RecorderFor(name, ""), Backend: backend,
	})
	s.Add(c)
	c.Watch(claims, controlloop.Self)
	c.Watch(volumes, controlloop.Self)
	c.Watch(attachmentsOf(s), func(obj controlloop.Object) []controlloop.Key {
		return []controlloop.Key{{Name: volumeOfAttachment(obj)}}
	})
	return c
}

// Reconcile implements controlloop.Reconciler: its keys are those of claims and,
// without a namespace, of volumes.
func (p *Provisioner) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if volume, ok := get[*corev1.PersistentVolume](p.Volumes, key); ok {
		return controlloop.Result{}, p.syncVolume(ctx, volume)
	}
	if claim, ok := get[*corev1.PersistentVolumeClaim](p.Claims, key); ok {
		return controlloop.Result{}, p.syncClaim(ctx, claim)
	}
	return controlloop.Result{}, nil
}

// syncClaim makes the volume that was ordered, or lets it grow.
func (p *Provisioner) syncClaim(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
) error {
	class, ok := get[*storagev1.StorageClass](
		p.Classes, controlloop.Key{Name: classOf(claim)})
	switch {
	case !ok || claim.Annotations[storageProvisioner] != p.Name:
		return nil
	case claim.Spec.VolumeName != "":
		return p.grow(ctx, claim, class)
	case claim.DeletionTimestamp != nil, isDelayed(class) &&
		claim.Annotations[selectedNode] == "":
		return nil
	}
	name := "pvc-" + string(claim.UID)
	if _, made := p.Volumes.Get(controlloop.Key{Name: name}); made {
		return nil
	}
	err := p.provision(ctx, claim, class, name)
	if err != nil {
		p.Recorder.Eventf(claim, corev1.EventTypeWarning, "ProvisioningFailed",
			"failed to provision volume with StorageClass %q: %v",
			class.Name, err)
	}
	return err
}

// provision makes first the disk, then the volume, which is bound to its claim
// from the first: no other claim ever sees it free. Its name is the claim's uid,
// so that a second try does not make a second volume.
func (p *Provisioner) provision(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
	class *storagev1.StorageClass, name string,
) error {
	if *claim.Spec.VolumeMode != corev1.PersistentVolumeFilesystem {
		return fmt.Errorf("%s does not provide block volumes", p.Name)
	}
	if claim.Spec.Selector != nil {
		return fmt.Errorf("claim Selector is not supported")
	}
	p.Recorder.Eventf(claim, corev1.EventTypeNormal, "Provisioning",
		"External provisioner is provisioning volume for claim %q",
		controlloop.KeyOf(claim))
	if err := p.Backend.Make(name); err != nil {
		return err
	}
	_, err := p.Client.Create(ctx, p.volumeFor(claim, class, name))
	if err == nil {
		p.Recorder.Eventf(claim, corev1.EventTypeNormal,
			"ProvisioningSucceeded", "Successfully provisioned volume %s", name)
	}
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// volumeFor returns the volume for a claim: as large as was asked, and no
// larger.
func (p *Provisioner) volumeFor(
	claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass,
	name string,
) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{provisionedBy: p.Name},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: claim.Spec.Resources.
					Requests[corev1.ResourceStorage],
			},
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			StorageClassName:              class.Name,
			VolumeAttributesClassName:     claim.Spec.VolumeAttributesClassName,
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy,
			MountOptions:                  class.MountOptions,
			ClaimRef:                      refTo(claim),
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{
					Driver: p.Name, VolumeHandle: name,
				},
			},
		},
	}
	if *class.ReclaimPolicy == corev1.PersistentVolumeReclaimDelete {
		volume.Finalizers = []string{diskInUse}
	}
	return volume
}

// syncVolume throws away the disk of a volume that was released, and then the
// volume: the other way round, a crash in between would leave a disk without a
// record.
func (p *Provisioner) syncVolume(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	if volume.Annotations[provisionedBy] != p.Name {
		return nil
	}
	if wrote, err := p.protect(ctx, volume); wrote || err != nil || !isToGo(volume) {
		return err
	}
	if same, err := p.isStored(ctx, volume); !same || err != nil {
		return err // its event will bring us back
	}
	if err := p.removeDisk(ctx, volume); err != nil {
		p.Recorder.Eventf(volume, corev1.EventTypeWarning,
			"VolumeFailedDelete", "%v", err)
		return err
	}
	if slices.Contains(volume.Finalizers, diskInUse) {
		next := controlloop.Copy(volume)
		next.Finalizers = without(next.Finalizers, diskInUse)
		if _, err := p.Client.Update(ctx, next); err != nil {
			return err
		}
	}
	err := p.Client.Delete(ctx, VolumeKind, controlloop.KeyOf(volume),
		metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(volume.UID)),
		})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// isToGo reports whether a volume is to be thrown away with its disk.
func isToGo(volume *corev1.PersistentVolume) bool {
	return volume.Status.Phase == corev1.VolumeReleased && deletes(volume)
}

func deletes(volume *corev1.PersistentVolume) bool {
	return volume.Spec.PersistentVolumeReclaimPolicy ==
		corev1.PersistentVolumeReclaimDelete
}

// protect lets a finalizer keep a volume as long as its policy asks for the disk to
// be thrown away first. A person may change that policy. (Kubernetes:
// handleProtectionFinalizer in sig-storage-lib-external-provisioner.)
func (p *Provisioner) protect(
	ctx context.Context, volume *corev1.PersistentVolume,
) (wrote bool, err error) {
	next, has := controlloop.Copy(volume), slices.Contains(volume.Finalizers, diskInUse)
	switch {
	case has && !deletes(volume):
		next.Finalizers = without(next.Finalizers, diskInUse)
	case !has && deletes(volume) && volume.DeletionTimestamp == nil &&
		volume.Status.Phase == corev1.VolumeBound:
		next.Finalizers = append(next.Finalizers, diskInUse)
	default:
		return false, nil
	}
	_, err = p.Client.Update(ctx, next)
	return err == nil, err
}

// isStored reports whether the store has a volume as the cache has it.
func (p *Provisioner) isStored(
	ctx context.Context, volume *corev1.PersistentVolume,
) (bool, error) {
	obj, err := p.Client.Get(ctx, VolumeKind, controlloop.KeyOf(volume))
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && obj.GetResourceVersion() == volume.ResourceVersion, err
}

// removeDisk throws away a volume's disk, unless that is attached. Nobody can undo
// it, so no cache is believed: the store is asked. (Kubernetes: canDeleteVolume in
// external-provisioner, which asks a cache.)
func (p *Provisioner) removeDisk(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	all, err := p.Client.List(ctx, AttachmentKind, controlloop.ListOptions{})
	if err != nil {
		return err
	}
	for _, obj := range all.Items {
		at := obj.(*storagev1.VolumeAttachment)
		if at.Name == attachmentName(volume.Spec.CSI, at.Spec.NodeName) {
			return fmt.Errorf("persistentvolume %s is still attached to node %s",
				volume.Name, at.Spec.NodeName)
		}
	}
	return p.Backend.Remove(volume.Spec.CSI.VolumeHandle)
}

// grow makes a volume as large as its claim has come to ask: first the volume,
// then the claim's status, which states the size that it has got.
func (p *Provisioner) grow(
	ctx context.Context, claim *corev1.PersistentVolumeClaim,
	class *storagev1.StorageClass,
) error {
	volume, ok := get[*corev1.PersistentVolume](
		p.Volumes, controlloop.Key{Name: claim.Spec.VolumeName})
	has := claim.Status.Capacity[corev1.ResourceStorage]
	if !ok || claim.Status.Phase != corev1.ClaimBound ||
		sizeOf(claim) <= has.Value() || !MayGrow(class) {
		return nil
	}
	asked := claim.Spec.Resources.Requests
	if capacityOf(volume) < sizeOf(claim) {
		p.Recorder.Eventf(claim, corev1.EventTypeNormal, "Resizing",
			"External resizer is resizing volume %s", volume.Name)
		next := controlloop.Copy(volume)
		next.Spec.Capacity = asked
		if _, err := p.Client.Update(ctx, next); err != nil {
			return err
		}
	}
	next := controlloop.Copy(claim)
	next.Status.Capacity = asked
	_, err := p.Client.UpdateStatus(ctx, next)
	if err == nil {
		p.Recorder.Eventf(claim, corev1.EventTypeNormal,
			"VolumeResizeSuccessful", "Resize volume succeeded")
	}
	return err
}

// MayGrow reports whether the claims of a class may ask for more later.
func MayGrow(class *storagev1.StorageClass) bool {
	return class.AllowVolumeExpansion != nil && *class.AllowVolumeExpansion
}
