package storage

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// maxWaitForUnmount is how long a node that is not well has to let go of a
// volume.
const maxWaitForUnmount = 6 * time.Minute

// Reconcile implements controlloop.Reconciler. It detaches before it attaches, so
// that a volume can move.
func (a *Attacher) Reconcile(
	ctx context.Context, key controlloop.Key,
) (result controlloop.Result, err error) {
	volume, _ := get[*corev1.PersistentVolume](a.Volumes, key)
	desired, actual := a.desired(volume), a.actual(key.Name)
	leaving := false
	for _, at := range actual {
		if len(desired[at.Spec.NodeName]) > 0 {
			delete(a.since, at.Name)
			continue
		}
		wait, err := a.detach(ctx, at)
		if err != nil {
			return result, err
		}
		leaving = leaving || wait == 0
		result.After = controlloop.Sooner(result.After, wait)
	}
	return result, a.attach(ctx, volume, desired, actual, leaving)
}

// desired returns the nodes that a volume is to be attached to, each with the
// Pods that need it there.
func (a *Attacher) desired(volume *corev1.PersistentVolume) map[string][]*corev1.Pod {
	nodes := map[string][]*corev1.Pod{}
	if volume == nil || volume.Spec.ClaimRef == nil || !a.isAttachable(volume) {
		return nodes
	}
	key := keyOfRef(volume.Spec.ClaimRef)
	claim, ok := get[*corev1.PersistentVolumeClaim](a.Claims, key)
	if !ok || claim.Spec.VolumeName != volume.Name || !isFor(volume, claim) {
		return nodes
	}
	for _, obj := range a.Pods.Lookup(byClaim, key.String()) {
		pod := obj.(*corev1.Pod)
		if node := pod.Spec.NodeName; node != "" && !isOver(pod) {
			nodes[node] = append(nodes[node], pod)
		}
	}
	return nodes
}

// attach attaches a volume to the nodes that it is to be attached to. One that is
// for a single node waits until it has left the others; the Pods are told, unless
// it is leaving now.
func (a *Attacher) attach(
	ctx context.Context, volume *corev1.PersistentVolume,
	desired map[string][]*corev1.Pod, actual []*storagev1.VolumeAttachment,
	leaving bool,
) error {
	for _, node := range slices.Sorted(maps.Keys(desired)) {
		i := slices.IndexFunc(actual, func(at *storagev1.VolumeAttachment) bool {
			return at.Spec.NodeName == node
		})
		switch {
		case i >= 0 && actual[i].DeletionTimestamp == nil && actual[i].Status.Attached:
			if err := a.arrived(ctx, volume, node, desired[node]); err != nil {
				return err
			}
		case i >= 0: // the driver is at work
		case isExclusive(volume) && len(actual) > 0:
			if !leaving {
				a.tellWaiting(volume, node, desired, actual)
			}
		default:
			obj, err := a.Client.Create(ctx, attachmentFor(volume, node))
			if apierrors.IsAlreadyExists(err) {
				return nil // the cache has not heard of it yet
			}
			if err != nil {
				return err
			}
			actual = append(actual, obj.(*storagev1.VolumeAttachment))
		}
	}
	a.forget(volume, desired)
	return nil
}

// isExclusive reports whether a volume can be attached to one node at a time.
// (Kubernetes: IsMultiAttachAllowed in pkg/volume/util/util.go.)
func isExclusive(volume *corev1.PersistentVolume) bool {
	modes := volume.Spec.AccessModes
	return len(modes) > 0 && !slices.Contains(modes, corev1.ReadWriteMany) &&
		!slices.Contains(modes, corev1.ReadOnlyMany)
}

// detach detaches a volume from a node, if it may, and returns 0. Otherwise it
// returns when to ask again, if nothing happens. Before the driver hears of it, the
// node's status says that the volume is attached no more: nothing mounts it then.
func (a *Attacher) detach(
	ctx context.Context, at *storagev1.VolumeAttachment,
) (wait time.Duration, err error) {
	if at.DeletionTimestamp != nil {
		return 0, nil
	}
	if _, ok := a.since[at.Name]; !ok {
		a.since[at.Name] = time.Now()
	}
	waited, disk := time.Since(a.since[at.Name]), a.diskOf(at)
	node, err := a.node(ctx, at.Spec.NodeName)
	if err != nil {
		return 0, err
	}
	if !a.mayDetach(node, disk, waited) {
		return max(maxWaitForUnmount-waited, time.Minute), nil
	}
	if _, err := a.report(ctx, node, disk, false); err != nil {
		return 0, err
	}
	delete(a.since, at.Name)
	err = a.Client.Delete(ctx, AttachmentKind, controlloop.KeyOf(at), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return 0, err
}

// mayDetach reports whether a volume may be taken from a node, nil if that is gone,
// after a detach has been wanted for so long: if the node says that it has let go
// of it, if a person says that the node is out of service, or, by force, if the
// node is not well and has had its time.
//
//book:exercise 5.11
func (a *Attacher) mayDetach(
	node *corev1.Node, disk corev1.UniqueVolumeName, waited time.Duration,
) bool {
	if node != nil {
		letGo := !slices.Contains(node.Status.VolumesInUse, disk)
		if letGo || isOutOfService(node) {
			return true
		}
	}
	return !isWell(node) && waited >= maxWaitForUnmount && !a.NeverForce
}
