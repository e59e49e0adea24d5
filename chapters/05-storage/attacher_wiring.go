package storage

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

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
	volumes.Cache.AddIndex(byDisk, disksOf)
	attachments := attachmentsOf(s)
	nodes := s.Informer(controlloop.NodeKind, controlloop.ListOptions{})
	nodes.Cache.AddIndex(byDisk, disksOn)
	drivers := s.Informer(DriverKind, controlloop.ListOptions{})
	a := &Attacher{
		Client: s.Client, Pods: pods.Cache, Claims: claims.Cache,
		Volumes: volumes.Cache, Attachments: attachments.Cache,
		Nodes: nodes.Cache, Drivers: drivers.Cache, NeverForce: neverForce,
		Recorder: s.RecorderFor("attachdetach-controller", ""),
		since:    map[string]time.Time{}, told: map[string]map[string]string{},
		made: map[string]*storagev1.VolumeAttachment{},
	}
	c := controlloop.NewController("attachdetach-controller", a)
	s.Add(c)
	c.Watch(volumes, a.ofVolume)
	c.Watch(claims, func(obj controlloop.Object) []controlloop.Key {
		return volumeOfClaim(obj.(*corev1.PersistentVolumeClaim))
	})
	c.Watch(pods, a.ofPod)
	c.Watch(attachments, a.ofAttachment)
	c.Watch(nodes, a.ofNode)
	c.Watch(drivers, a.ofDriver)
	return c
}

func (a *Attacher) ofDriver(controlloop.Object) (keys []controlloop.Key) {
	for _, volume := range a.Volumes.List() {
		keys = append(keys, controlloop.KeyOf(volume))
	}
	return keys
}

// ofAttachment returns the keys of the volumes that stand for an attachment's disk:
// those of its volume, or all, when that is gone or is another disk's by now.
func (a *Attacher) ofAttachment(obj controlloop.Object) (keys []controlloop.Key) {
	at := obj.(*storagev1.VolumeAttachment)
	for _, name := range a.namesOf(volumeOfAttachment(at)) {
		keys = append(keys, controlloop.Key{Name: name})
	}
	if a.diskOf(at, nil) == "" {
		keys = append(keys, a.ofDriver(nil)...)
	}
	return keys
}

// ofVolume returns the keys of a volume, which may be gone, and of those that stand
// for its disk.
func (a *Attacher) ofVolume(obj controlloop.Object) []controlloop.Key {
	keys := controlloop.Self(obj)
	for _, disk := range disksOf(obj) {
		for _, other := range a.Volumes.Lookup(byDisk, disk) {
			keys = append(keys, controlloop.KeyOf(other))
		}
	}
	return keys
}

func (a *Attacher) ofPod(obj controlloop.Object) (keys []controlloop.Key) {
	for _, key := range claimsOfPod(obj) {
		if claim, ok := get[*corev1.PersistentVolumeClaim](a.Claims, key); ok {
			keys = append(keys, volumeOfClaim(claim)...)
		}
	}
	return keys
}

func (a *Attacher) ofNode(obj controlloop.Object) (keys []controlloop.Key) {
	for _, at := range a.Attachments.Lookup(byNode, obj.GetName()) {
		keys = append(keys, controlloop.Key{Name: volumeOfAttachment(at)})
	}
	for _, disk := range disksOn(obj) {
		for _, volume := range a.Volumes.Lookup(byDisk, disk) {
			keys = append(keys, controlloop.KeyOf(volume))
		}
	}
	return keys
}

func volumeOfClaim(claim *corev1.PersistentVolumeClaim) []controlloop.Key {
	if claim.Spec.VolumeName == "" {
		return nil
	}
	return []controlloop.Key{{Name: claim.Spec.VolumeName}}
}

// These are the indices that only the Attacher has: of attachments by their nodes;
// of volumes by the disk that they stand for, and of nodes by those that they list.
const (
	byNode = "node"
	byDisk = "disk"
)

func disksOf(volume controlloop.Object) []string {
	csi := volume.(*corev1.PersistentVolume).Spec.CSI
	if csi == nil {
		return nil
	}
	return []string{string(diskName(csi))}
}

func disksOn(node controlloop.Object) (disks []string) {
	for _, v := range node.(*corev1.Node).Status.VolumesAttached {
		disks = append(disks, string(v.Name))
	}
	return disks
}

// sharing returns the volumes that stand for the same disk as the one of that
// name, and that one among them. (In Kubernetes, too, a disk is known by its driver
// and handle: GetUniqueVolumeNameFromSpec in pkg/volume/util/util.go.)
func (a *Attacher) sharing(name string) (all []*corev1.PersistentVolume) {
	volume, ok := get[*corev1.PersistentVolume](a.Volumes, controlloop.Key{Name: name})
	if !ok {
		return nil
	}
	for _, disk := range disksOf(volume) {
		for _, obj := range a.Volumes.Lookup(byDisk, disk) {
			all = append(all, obj.(*corev1.PersistentVolume))
		}
	}
	return all
}

// namesOf returns a volume's name, and those of all that stand for its disk.
func (a *Attacher) namesOf(volume string) []string {
	names := []string{volume}
	for _, other := range a.sharing(volume) {
		if other.Name != volume {
			names = append(names, other.Name)
		}
	}
	return names
}

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
