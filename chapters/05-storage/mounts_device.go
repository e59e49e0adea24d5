package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// devices are the disks that have to be attached to a node before it mounts them.
// The disks that it uses, and for which Pods, are on disk:
//
//	devices/<node>/<disk>          staged: mounted once for the node
//	devices/<node>/<disk>/<uid>    published: to one Pod
//
// (Kubernetes: pkg/kubelet/volumemanager.)
type devices struct {
	client     controlloop.Client
	node, root string
	since      map[types.UID]time.Time // when a Pod began to wait
}

// NewDeviceMounts is NewMounts, with disks that have to be attached.
func NewDeviceMounts(
	s *controlloop.System, node, root string,
) kubelet.Volumes {
	m, c := newMounts(s, node, root)
	m.devices = &devices{s.Client, node, root, map[types.UID]time.Time{}}
	self := s.Informer(controlloop.NodeKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("metadata.name", node),
	})
	c.Watch(self, func(controlloop.Object) (keys []controlloop.Key) {
		for _, pod := range m.pods.List() {
			if m.again.Failures(pod.GetUID()) > 0 {
				keys = append(keys, controlloop.KeyOf(pod))
			}
		}
		return keys
	})
	return m
}

// waitForAttach is how long a Pod waits in silence for its volumes. (Kubernetes:
// podAttachAndMountTimeout in pkg/kubelet/volumemanager/volume_manager.go.)
const waitForAttach = 2*time.Minute + 3*time.Second

// publish lets a Pod use a disk, if it is attached: the node first says that it
// uses the disk, and then reads in its own status whether it has it.
func (d *devices) publish(
	ctx context.Context, pod types.UID, volume string, disk *corev1.CSIPersistentVolumeSource,
) error {
	if err := isName(disk.VolumeHandle); err != nil {
		return err
	}
	if _, err := folder(d.root, d.at(disk.VolumeHandle), string(pod)); err != nil {
		return err
	}
	node, err := d.report(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(node.Status.VolumesAttached,
		func(v corev1.AttachedVolume) bool { return v.Name == diskName(disk) }) {
		delete(d.since, pod)
		return nil
	}
	if _, ok := d.since[pod]; !ok {
		d.since[pod] = time.Now()
	}
	if time.Since(d.since[pod]) < waitForAttach {
		return &kubelet.MountError{} // nothing to tell yet
	}
	return &kubelet.MountError{Reason: fmt.Sprintf(
		"Unable to attach or mount volumes: unmounted volumes=[%[1]s], unattached "+
			"volumes=[%[1]s], failed to process volumes=[]: context deadline exceeded",
		volume)}
}

// unpublish takes all disks from Pods that are gone. A disk that no Pod is left
// with is no longer staged, and then the node says that it has let go of it: each
// time, since an earlier try may have ended in between.
func (d *devices) unpublish(
	ctx context.Context, isGone func(types.UID) bool,
) error {
	disks, err := names(filepath.Join(d.root, d.at("")))
	for _, disk := range disks {
		pods, failure := names(filepath.Join(d.root, d.at(disk)))
		err = errors.Join(err, failure)
		left := len(pods)
		for _, pod := range pods {
			if isGone(types.UID(pod)) {
				delete(d.since, types.UID(pod))
				err = errors.Join(err, remove(d.root, d.at(disk), pod))
				left--
			}
		}
		if left == 0 {
			err = errors.Join(err, remove(d.root, d.at(""), disk))
		}
	}
	if err == nil {
		_, err = d.report(ctx)
	}
	return err
}

// report writes the disks that the node uses into its status.
func (d *devices) report(ctx context.Context) (*corev1.Node, error) {
	disks, err := names(filepath.Join(d.root, d.at("")))
	if err != nil {
		return nil, err
	}
	var inUse []corev1.UniqueVolumeName
	for _, disk := range disks {
		inUse = append(inUse, diskName(&corev1.CSIPersistentVolumeSource{
			Driver: Driver, VolumeHandle: disk}))
	}
	obj, err := d.client.Get(ctx, controlloop.NodeKind, controlloop.Key{Name: d.node})
	if err != nil {
		return nil, err
	}
	node := obj.(*corev1.Node)
	if slices.Equal(node.Status.VolumesInUse, inUse) {
		return node, nil
	}
	next := controlloop.Copy(node)
	next.Status.VolumesInUse = inUse
	if obj, err = d.client.UpdateStatus(ctx, next); err != nil {
		return nil, err
	}
	return obj.(*corev1.Node), nil
}

func (d *devices) at(disk string) string {
	return filepath.Join("devices", d.node, disk)
}

// names returns what a folder has, in order; nothing if it does not exist.
func names(folder string) (all []string, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all, err
}
