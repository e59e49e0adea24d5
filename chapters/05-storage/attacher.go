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

// Attacher attaches volumes to the nodes where Pods need them, and detaches them
// from all others. Its keys are volumes. (Kubernetes:
// pkg/controller/volume/attachdetach.)
type Attacher struct {
	Client                                    controlloop.Client
	Pods, Claims, Volumes, Attachments, Nodes *controlloop.Indexer
	Drivers                                   *controlloop.Indexer
	Recorder                                  controlloop.Recorder
	// NeverForce keeps a volume attached to a node that is not well, however
	// long. (Kubernetes: --disable-force-detach-on-timeout.)
	NeverForce bool

	since map[string]time.Time       // when a detach was first wanted
	told  map[string]map[string]bool // which nodes of a volume wait, and know
}

// NewAttacher returns the controller that attaches volumes to nodes, and detaches
// them.
func NewAttacher(s *controlloop.System) *controlloop.Controller {
	return NewAttacherWith(s, false)
}

// NewAttacherWith is NewAttacher, with or without force.
func NewAttacherWith(
	s *controlloop.System, neverForce bool,
) *controlloop.Controller {
	claims, volumes, pods := claimsOf(s), volumesOf(s), podsOf(s)
	attachments := attachmentsOf(s)
	nodes := s.Informer(controlloop.NodeKind, controlloop.ListOptions{})
	drivers := s.Informer(DriverKind, controlloop.ListOptions{})
	a := &Attacher{
		Client: s.Client, Pods: pods.Cache, Claims: claims.Cache,
		Volumes: volumes.Cache, Attachments: attachments.Cache,
		Nodes: nodes.Cache, Drivers: drivers.Cache, NeverForce: neverForce,
		Recorder: s.RecorderFor("attachdetach-controller", ""),
		since:    map[string]time.Time{}, told: map[string]map[string]bool{},
	}
	c := controlloop.NewController("attachdetach-controller", a)
	s.Add(c)
	c.Watch(volumes, controlloop.Self)
	c.Watch(claims, func(obj controlloop.Object) []controlloop.Key {
		return volumeOfClaim(obj.(*corev1.PersistentVolumeClaim))
	})
	c.Watch(pods, func(obj controlloop.Object) (keys []controlloop.Key) {
		for _, key := range claimsOfPod(obj) {
			if claim, ok := get[*corev1.PersistentVolumeClaim](a.Claims, key); ok {
				keys = append(keys, volumeOfClaim(claim)...)
			}
		}
		return keys
	})
	c.Watch(attachments, func(obj controlloop.Object) []controlloop.Key {
		return []controlloop.Key{{Name: volumeOfAttachment(obj)}}
	})
	c.Watch(nodes, func(obj controlloop.Object) (keys []controlloop.Key) {
		for _, at := range a.Attachments.Lookup(byNode, obj.GetName()) {
			keys = append(keys, controlloop.Key{Name: volumeOfAttachment(at)})
		}
		return keys
	})
	c.Watch(drivers, func(controlloop.Object) (keys []controlloop.Key) {
		for _, volume := range a.Volumes.List() {
			keys = append(keys, controlloop.KeyOf(volume))
		}
		return keys
	})
	return c
}

func volumeOfClaim(claim *corev1.PersistentVolumeClaim) []controlloop.Key {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	return []controlloop.Key{{Name: claim.Spec.VolumeName}}
}

// byNode is the name of the index of attachments by their nodes.
const byNode = "node"

func attachmentsOf(s *controlloop.System) *controlloop.Informer {
	all := s.Informer(AttachmentKind, controlloop.ListOptions{})
	all.Cache.AddIndex(byVolume, func(obj controlloop.Object) []string {
		return []string{volumeOfAttachment(obj)}
	})
	all.Cache.AddIndex(byNode, func(obj controlloop.Object) []string {
		return []string{obj.(*storagev1.VolumeAttachment).Spec.NodeName}
	})
	return all
}

func volumeOfAttachment(obj controlloop.Object) string {
	source := obj.(*storagev1.VolumeAttachment).Spec.Source
	return ptr.Deref(source.PersistentVolumeName, "")
}

// attachmentFor returns the attachment of a volume to a node. Its name is computed,
// so that there is never a second one. (Kubernetes: getAttachmentName in
// pkg/volume/csi/csi_attacher.go.)
func attachmentFor(
	volume *corev1.PersistentVolume, node string,
) *storagev1.VolumeAttachment {
	csi := volume.Spec.CSI
	sum := sha256.Sum256([]byte(csi.VolumeHandle + csi.Driver + node))
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("csi-%x", sum)},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: csi.Driver, NodeName: node,
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

// diskOf returns the name by which a node's status knows an attached volume.
func (a *Attacher) diskOf(at *storagev1.VolumeAttachment) corev1.UniqueVolumeName {
	volume, ok := get[*corev1.PersistentVolume](
		a.Volumes, controlloop.Key{Name: volumeOfAttachment(at)})
	if !ok || volume.Spec.CSI == nil {
		return ""
	}
	return diskName(volume.Spec.CSI)
}

func diskName(csi *corev1.CSIPersistentVolumeSource) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName(
		"kubernetes.io/csi/" + csi.Driver + "^" + csi.VolumeHandle)
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

// arrived says in a node's status that a volume is attached, and tells the Pods
// that need it, once.
func (a *Attacher) arrived(
	ctx context.Context, volume *corev1.PersistentVolume, name string,
	pods []*corev1.Pod,
) error {
	node, err := a.node(ctx, name)
	if err != nil {
		return err
	}
	news, err := a.report(ctx, node, diskName(volume.Spec.CSI), true)
	if err != nil || !news {
		return err
	}
	for _, pod := range pods {
		a.Recorder.Eventf(pod, corev1.EventTypeNormal, "SuccessfulAttachVolume",
			"AttachVolume.Attach succeeded for volume %q ", volume.Name)
	}
	return nil
}

// report writes whether a volume is attached into its node's status, and returns
// whether that is news.
func (a *Attacher) report(
	ctx context.Context, node *corev1.Node, disk corev1.UniqueVolumeName,
	attached bool,
) (news bool, err error) {
	if node == nil {
		return false, nil
	}
	is := func(v corev1.AttachedVolume) bool { return v.Name == disk }
	if slices.ContainsFunc(node.Status.VolumesAttached, is) == attached {
		return false, nil
	}
	next := controlloop.Copy(node)
	if attached {
		next.Status.VolumesAttached = append(
			next.Status.VolumesAttached, corev1.AttachedVolume{Name: disk})
	} else {
		next.Status.VolumesAttached = slices.DeleteFunc(
			next.Status.VolumesAttached, is)
	}
	_, err = a.Client.UpdateStatus(ctx, next)
	return err == nil, err
}

// tellWaiting tells the Pods on a node, once, that the volume they need is
// attached to another, and which Pods hold it there. (Kubernetes:
// reportMultiAttachError in
// pkg/controller/volume/attachdetach/reconciler/reconciler.go.)
func (a *Attacher) tellWaiting(
	volume *corev1.PersistentVolume, node string,
	desired map[string][]*corev1.Pod, actual []*storagev1.VolumeAttachment,
) {
	if a.told[volume.Name][node] {
		return
	}
	if a.told[volume.Name] == nil {
		a.told[volume.Name] = map[string]bool{}
	}
	a.told[volume.Name][node] = true
	var holders []string
	for _, at := range actual {
		for _, pod := range desired[at.Spec.NodeName] {
			holders = append(holders, pod.Name)
		}
	}
	why := "Volume is already exclusively attached to one node, waiting on " +
		"detach before it can be attached to another node"
	if len(holders) > 0 {
		why = "Volume is already used by pod(s) " + strings.Join(holders, ", ")
	}
	for _, pod := range desired[node] {
		a.Recorder.Eventf(pod, corev1.EventTypeWarning, "FailedAttachVolume",
			"Waiting for detach for volume %q %s", volume.Name, why)
	}
}

// forget makes the next Pod on a node that a volume is not wanted at hear again
// that it has to wait.
func (a *Attacher) forget(
	volume *corev1.PersistentVolume, desired map[string][]*corev1.Pod,
) {
	if volume == nil {
		return
	}
	for node := range a.told[volume.Name] {
		if len(desired[node]) == 0 {
			delete(a.told[volume.Name], node)
		}
	}
}

// isOver reports whether a Pod needs no volumes any more. (Kubernetes:
// IsPodTerminated in pkg/volume/util/util.go.)
func isOver(pod *corev1.Pod) bool {
	runs := func(c corev1.ContainerStatus) bool {
		return c.State.Terminated == nil && c.State.Waiting == nil
	}
	return controlloop.HasEnded(pod) || pod.DeletionTimestamp != nil &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, runs)
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

// actual returns the attachments of a volume.
func (a *Attacher) actual(volume string) (all []*storagev1.VolumeAttachment) {
	for _, obj := range a.Attachments.Lookup(byVolume, volume) {
		all = append(all, obj.(*storagev1.VolumeAttachment))
	}
	return all
}
