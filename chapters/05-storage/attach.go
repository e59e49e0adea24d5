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
// that a disk can move.
func (a *Attacher) Reconcile(
	ctx context.Context, key controlloop.Key,
) (result controlloop.Result, err error) {
	desired := a.desired(key.Name)
	actual, err := a.actual(ctx, key.Name)
	if err != nil {
		return result, err
	}
	leaving := false
	for _, at := range actual {
		if _, ok := desired[at.Spec.NodeName]; ok {
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
	a.forget(key.Name, desired)
	return result, a.attach(ctx, desired, actual, leaving)
}

// need is a volume that a node is to have attached, and the Pods that need it there.
type need struct {
	volume *corev1.PersistentVolume
	pods   []*corev1.Pod
}

// desired returns the nodes that a volume's disk is to be attached to.
func (a *Attacher) desired(volume string) map[string]need {
	nodes := map[string]need{}
	for _, volume := range a.sharing(volume) {
		for _, pod := range a.users(volume) {
			pods := append(nodes[pod.Spec.NodeName].pods, pod)
			nodes[pod.Spec.NodeName] = need{volume, pods}
		}
	}
	return nodes
}

// users returns the Pods on nodes that need a volume.
func (a *Attacher) users(volume *corev1.PersistentVolume) (pods []*corev1.Pod) {
	if volume.Spec.ClaimRef == nil || !a.isAttachable(volume) {
		return nil
	}
	key := keyOfRef(volume.Spec.ClaimRef)
	claim, ok := get[*corev1.PersistentVolumeClaim](a.Claims, key)
	if !ok || claim.Spec.VolumeName != volume.Name || !isFor(volume, claim) {
		return nil
	}
	for _, obj := range a.Pods.Lookup(byClaim, key.String()) {
		pod := obj.(*corev1.Pod)
		if pod.Spec.NodeName != "" && !isOver(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// actual returns the attachments of a volume's disk: those that the cache knows,
// and those that the store has besides.
func (a *Attacher) actual(
	ctx context.Context, volume string,
) (all []*storagev1.VolumeAttachment, err error) {
	for _, name := range a.namesOf(volume) {
		for _, obj := range a.Attachments.Lookup(byVolume, name) {
			all = append(all, obj.(*storagev1.VolumeAttachment))
			a.heard(name, obj.GetName())
		}
		made, err := a.unheard(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	strays, err := a.strays(ctx, volume, all)
	return append(all, strays...), err
}

// attach attaches a disk to the nodes that it is to be attached to. One that is
// for a single node waits until it has left the others; the Pods are told, unless
// it is leaving now.
func (a *Attacher) attach(
	ctx context.Context, desired map[string]need,
	actual []*storagev1.VolumeAttachment, leaving bool,
) error {
	for _, node := range slices.Sorted(maps.Keys(desired)) {
		volume := desired[node].volume
		i := slices.IndexFunc(actual, func(at *storagev1.VolumeAttachment) bool {
			return at.Spec.NodeName == node
		})
		switch {
		case i >= 0 && actual[i].DeletionTimestamp == nil && actual[i].Status.Attached:
			if err := a.arrived(ctx, actual[i], desired[node]); err != nil {
				return err
			}
		case i >= 0: // the driver is at work
			a.tellFailure(actual[i], desired[node])
		case isExclusive(volume) && len(actual) > 0:
			if !leaving {
				a.tellWaiting(node, desired, actual)
			}
		default:
			at := attachmentFor(volume, node)
			a.made[at.Name] = at // the cache will know later
			_, err := a.Client.Create(ctx, at)
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return err
			}
			actual = append(actual, at)
		}
	}
	return nil
}

// isExclusive reports whether a volume can be attached to one node at a time.
// (Kubernetes: IsMultiAttachAllowed in pkg/volume/util/util.go.)
func isExclusive(volume *corev1.PersistentVolume) bool {
	modes := volume.Spec.AccessModes
	return len(modes) > 0 && !slices.Contains(modes, corev1.ReadWriteMany) &&
		!slices.Contains(modes, corev1.ReadOnlyMany)
}

// detach detaches a disk from a node, if it may, and returns 0. Otherwise it
// returns when to ask again, if nothing happens. Before the driver hears of it, the
// node's status says that the disk is attached no more: nothing mounts it then.
func (a *Attacher) detach(
	ctx context.Context, at *storagev1.VolumeAttachment,
) (wait time.Duration, err error) {
	if at.DeletionTimestamp != nil {
		return 0, nil
	}
	if _, ok := a.since[at.Name]; !ok {
		a.since[at.Name] = time.Now()
	}
	waited := time.Since(a.since[at.Name])
	node, err := a.node(ctx, at.Spec.NodeName)
	if err != nil {
		return 0, err
	}
	disk := a.diskOf(at, node)
	if !a.mayDetach(node, disk, waited) {
		return max(maxWaitForUnmount-waited, time.Minute), nil
	}
	if err := a.report(ctx, node, disk, false); err != nil {
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
//book:exercise 5k
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
