package storage

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// strays returns the attachments of a disk to nodes that list it, beyond those that
// are known: the volume that one names has been taken away by force. A node that
// lists a disk without any attachment has it no more, whoever has detached it: it is
// taken off the list. (Kubernetes: syncStates in
// pkg/controller/volume/attachdetach/reconciler/reconciler.go.)
func (a *Attacher) strays(
	ctx context.Context, volume string, known []*storagev1.VolumeAttachment,
) (all []*storagev1.VolumeAttachment, err error) {
	sharing := a.sharing(volume)
	if len(sharing) == 0 || sharing[0].Spec.CSI == nil {
		return nil, nil
	}
	disk := diskName(sharing[0].Spec.CSI)
	for _, obj := range a.Nodes.Lookup(byDisk, string(disk)) {
		if slices.ContainsFunc(known, func(at *storagev1.VolumeAttachment) bool {
			return at.Spec.NodeName == obj.GetName()
		}) {
			continue
		}
		at := attachmentFor(sharing[0], obj.GetName())
		stored, err := a.stored(ctx, at)
		if err == nil && stored == nil {
			err = a.unlist(ctx, obj.GetName(), disk)
		}
		if err != nil {
			return nil, err
		}
		if stored != nil {
			a.made[at.Name] = at // until it is gone
			all = append(all, stored)
		}
	}
	if len(known)+len(all) == 0 {
		all = a.left(sharing[0])
	}
	return all, nil
}

// left returns the attachments of a volume's disk to nodes that are gone, whatever
// volume they name.
func (a *Attacher) left(
	volume *corev1.PersistentVolume,
) (all []*storagev1.VolumeAttachment) {
	for _, obj := range a.Attachments.List() {
		at := obj.(*storagev1.VolumeAttachment)
		node := controlloop.Key{Name: at.Spec.NodeName}
		if _, ok := a.Nodes.Get(node); !ok &&
			at.Name == attachmentName(volume.Spec.CSI, node.Name) {
			all = append(all, at)
		}
	}
	return all
}
