package storage

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// Attacher attaches disks to the nodes where Pods need them, and detaches them
// from all others. Its keys are volumes; of volumes that stand for one disk, each
// stands for all. (Kubernetes: pkg/controller/volume/attachdetach.)
type Attacher struct {
	Client                                    controlloop.Client
	Pods, Claims, Volumes, Attachments, Nodes *controlloop.Indexer
	Drivers                                   *controlloop.Indexer
	Recorder                                  controlloop.Recorder
	// NeverForce keeps a volume attached to a node that is not well, however
	// long. (Kubernetes: --disable-force-detach-on-timeout.)
	NeverForce bool

	since map[string]time.Time                   // when a detach was first wanted
	made  map[string]*storagev1.VolumeAttachment // of which the cache has not heard
	told  map[string]map[string]string           // by volume and node: why it waits
}

// attachmentName computes the name of a disk's attachment to a node, so that there
// is never a second one. (Kubernetes: getAttachmentName in
// pkg/volume/csi/csi_attacher.go.)
func attachmentName(csi *corev1.CSIPersistentVolumeSource, node string) string {
	sum := sha256.Sum256([]byte(csi.VolumeHandle + csi.Driver + node))
	return fmt.Sprintf("csi-%x", sum)
}

// attachmentFor returns the attachment of a volume to a node.
func attachmentFor(
	volume *corev1.PersistentVolume, node string,
) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: attachmentName(volume.Spec.CSI, node)},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: volume.Spec.CSI.Driver, NodeName: node,
			Source: storagev1.VolumeAttachmentSource{
				PersistentVolumeName: &volume.Name,
			},
		},
	}
}

// isAttachable reports whether a volume has to be attached before it can be
// mounted: its driver is asked. (Kubernetes: skipAttach in
// pkg/volume/csi/csi_plugin.go.)
func (a *Attacher) isAttachable(volume *corev1.PersistentVolume) bool {
	if volume.Spec.CSI == nil {
		return false
	}
	driver, ok := get[*storagev1.CSIDriver](
		a.Drivers, controlloop.Key{Name: volume.Spec.CSI.Driver})
	return !ok || ptr.Deref(driver.Spec.AttachRequired, true)
}

// diskOf returns the name by which a node's status knows the disk of an attachment;
// "": that node, nil if it is gone, knows none. The attachment's own name says which
// it is: its volume may be gone, or made again for another disk.
func (a *Attacher) diskOf(
	at *storagev1.VolumeAttachment, node *corev1.Node,
) corev1.UniqueVolumeName {
	known := a.namedBy(at)
	if node != nil {
		known = append(known, node.Status.VolumesInUse...)
		for _, v := range node.Status.VolumesAttached {
			known = append(known, v.Name)
		}
	}
	for _, disk := range known {
		csi := sourceOf(disk)
		if csi != nil && attachmentName(csi, at.Spec.NodeName) == at.Name {
			return disk
		}
	}
	return ""
}

// namedBy returns the disk of the volume that an attachment names, if that is there.
func (a *Attacher) namedBy(at *storagev1.VolumeAttachment) []corev1.UniqueVolumeName {
	volume, ok := get[*corev1.PersistentVolume](
		a.Volumes, controlloop.Key{Name: volumeOfAttachment(at)})
	if !ok || volume.Spec.CSI == nil {
		return nil
	}
	return []corev1.UniqueVolumeName{diskName(volume.Spec.CSI)}
}

func diskName(csi *corev1.CSIPersistentVolumeSource) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName(
		"kubernetes.io/csi/" + csi.Driver + "^" + csi.VolumeHandle)
}

// sourceOf is diskName, backwards; nil: the disk is no driver's.
func sourceOf(disk corev1.UniqueVolumeName) *corev1.CSIPersistentVolumeSource {
	rest, ok := strings.CutPrefix(string(disk), "kubernetes.io/csi/")
	driver, handle, found := strings.Cut(rest, "^")
	if !ok || !found {
		return nil
	}
	return &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}
}

// node returns a node as the store knows it, or nil if it is gone.
func (a *Attacher) node(
	ctx context.Context, name string,
) (*corev1.Node, error) {
	obj, err := a.Client.Get(ctx, controlloop.NodeKind, controlloop.Key{Name: name})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.Node), nil
}

// arrived says in a node's status that a disk is attached, and tells the Pods that
// need it, once. The store is asked whether it is: a late cache may still have an
// attachment that is leaving.
func (a *Attacher) arrived(
	ctx context.Context, at *storagev1.VolumeAttachment, here need,
) error {
	node, err := a.node(ctx, at.Spec.NodeName)
	disk := diskName(here.volume.Spec.CSI)
	if err != nil || node == nil || lists(node, disk) {
		return err
	}
	stored, err := a.stored(ctx, at)
	if err != nil || stored == nil || stored.UID != at.UID ||
		stored.DeletionTimestamp != nil {
		return err
	}
	if err := a.report(ctx, node, disk, true); err != nil {
		return err
	}
	for _, pod := range here.pods {
		a.Recorder.Eventf(pod, corev1.EventTypeNormal, "SuccessfulAttachVolume",
			"AttachVolume.Attach succeeded for volume %q ", here.volume.Name)
	}
	return nil
}

// stored returns an attachment as the store knows it, or nil if it has none of
// that name.
func (a *Attacher) stored(
	ctx context.Context, at *storagev1.VolumeAttachment,
) (*storagev1.VolumeAttachment, error) {
	obj, err := a.Client.Get(ctx, AttachmentKind, controlloop.KeyOf(at))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return obj.(*storagev1.VolumeAttachment), nil
}

// heard notes that the cache has an attachment that was made for a volume. One that
// was found astray is another's.
func (a *Attacher) heard(volume, name string) {
	if at, ok := a.made[name]; ok && volumeOfAttachment(at) == volume {
		delete(a.made, name)
	}
}

// unheard returns the attachments of a volume that this controller has made, or
// may have, and that the store has and the cache has not.
func (a *Attacher) unheard(
	ctx context.Context, volume string,
) (all []*storagev1.VolumeAttachment, err error) {
	for name, at := range a.made {
		if volumeOfAttachment(at) != volume {
			continue
		}
		stored, err := a.stored(ctx, at)
		if err != nil {
			return nil, err
		}
		if stored == nil {
			delete(a.made, name)
			continue
		}
		all = append(all, stored)
	}
	return all, nil
}

// unlist takes a disk off a node's list.
func (a *Attacher) unlist(
	ctx context.Context, name string, disk corev1.UniqueVolumeName,
) error {
	node, err := a.node(ctx, name)
	if err != nil {
		return err
	}
	return a.report(ctx, node, disk, false)
}

func lists(node *corev1.Node, disk corev1.UniqueVolumeName) bool {
	return slices.ContainsFunc(node.Status.VolumesAttached,
		func(v corev1.AttachedVolume) bool { return v.Name == disk })
}

// report writes into a node's status whether a disk is attached.
func (a *Attacher) report(
	ctx context.Context, node *corev1.Node, disk corev1.UniqueVolumeName,
	attached bool,
) error {
	if node == nil || lists(node, disk) == attached {
		return nil
	}
	next := controlloop.Copy(node)
	next.Status.VolumesAttached = slices.DeleteFunc(next.Status.VolumesAttached,
		func(v corev1.AttachedVolume) bool { return v.Name == disk })
	if attached {
		next.Status.VolumesAttached = append(
			next.Status.VolumesAttached, corev1.AttachedVolume{Name: disk})
	}
	_, err := a.Client.UpdateStatus(ctx, next)
	return err
}

// isOver reports whether a Pod needs no volumes any more. (Kubernetes:
// IsPodTerminated in pkg/volume/util/util.go.)
func isOver(pod *corev1.Pod) bool {
	runs := func(c corev1.ContainerStatus) bool {
		return c.State.Terminated == nil && c.State.Waiting == nil
	}
	return controlloop.HasEnded(pod) || pod.DeletionTimestamp != nil &&
		!slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses,
			pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses), runs)
}

func isOutOfService(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeOutOfService
	})
}

// isWell reports whether a node, nil if it is gone, is Ready.
func isWell(node *corev1.Node) bool {
	return node != nil && slices.ContainsFunc(node.Status.Conditions,
		func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
}
