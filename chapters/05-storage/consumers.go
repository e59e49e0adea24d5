package storage

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	controlloop "reconcile/chapters/01-control-loop"
)

// Consumers are Pods that mount claims. A scheduler asks here when one may
// start, and where. (Kubernetes: the scheduler's plugins VolumeBinding and
// VolumeRestrictions.)
type Consumers struct {
	client                controlloop.Client
	claims, classes, pods *controlloop.Indexer
	supply                *supply
}

// NewConsumers returns the consumers of a system's claims.
func NewConsumers(s *controlloop.System) *Consumers {
	return &Consumers{
		client: s.Client, claims: claimsOf(s).Cache,
		classes: classesOf(s).Cache, pods: podsOf(s).Cache,
		supply: newSupply(s),
	}
}

// Of returns the Pods that mount a claim.
func (c *Consumers) Of(claim controlloop.Object) (keys []controlloop.Key) {
	key := controlloop.KeyOf(claim).String()
	for _, pod := range c.pods.Lookup(byClaim, key) {
		keys = append(keys, controlloop.KeyOf(pod))
	}
	return keys
}

// isDelayed reports whether a claim, which names no volume, waits for a Pod.
func (c *Consumers) isDelayed(claim *corev1.PersistentVolumeClaim) bool {
	class, ok := c.classOf(claim)
	return ok && isDelayed(class) && claim.Spec.VolumeName == ""
}

func (c *Consumers) classOf(
	claim *corev1.PersistentVolumeClaim,
) (*storagev1.StorageClass, bool) {
	return get[*storagev1.StorageClass](
		c.classes, controlloop.Key{Name: classOf(claim)})
}

// Refusals returns the reasons why a Pod whose claims are no
// obstacle cannot run on a node.
func (c *Consumers) Refusals(pod *corev1.Pod, node *corev1.Node) []string {
	_, why := c.arrange(pod, node)
	return why
}

// isWhole reports whether both pointers of a binding have been written.
func isWhole(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName != "" && has(claim, bindCompleted)
}

// arrangement is one of the writes by which a Pod's claims get their volumes.
type arrangement struct {
	claim  *corev1.PersistentVolumeClaim
	volume *corev1.PersistentVolume // nil: it is to be made, for that node
}

// arrange looks for the volumes that a Pod's claims still need on a node.
func (c *Consumers) arrange(
	pod *corev1.Pod, node *corev1.Node,
) (todo []arrangement, why []string) {
	refuse := func(reason string) {
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	for _, key := range claimsOfPod(pod) {
		claim, ok := get[*corev1.PersistentVolumeClaim](c.claims, key)
		if !ok {
			continue // an obstacle
		}
		if c.isTaken(claim, pod) {
			refuse("node(s) unavailable due to PersistentVolumeClaim with " +
				"ReadWriteOncePod access mode already in-use by another pod")
		}
		if isWhole(claim) {
			volume := c.supply.named(claim.Spec.VolumeName)
			if volume == nil {
				refuse("node(s) unavailable due to one or more pvc(s) bound " +
					"to non-existent pv(s)")
			} else if !reaches(volume, node) {
				refuse("node(s) didn't match PersistentVolume's node affinity")
			}
			continue
		}
		next, ok := c.find(claim, node, todo)
		if !ok {
			refuse("node(s) didn't find available persistent volumes to bind")
		}
		todo = append(todo, next)
	}
	return todo, why
}

// reaches reports whether a volume can be mounted on a node.
func reaches(volume *corev1.PersistentVolume, node *corev1.Node) bool {
	if volume.Spec.NodeAffinity == nil ||
		volume.Spec.NodeAffinity.Required == nil {
		return true
	}
	where, err := nodeaffinity.NewNodeSelector(volume.Spec.NodeAffinity.Required)
	return err == nil && where.Match(node)
}

// isTaken reports whether another Pod has a claim that only one may have.
func (c *Consumers) isTaken(
	claim *corev1.PersistentVolumeClaim, pod *corev1.Pod,
) bool {
	if !slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteOncePod) {
		return false
	}
	return c.pods.Any(byClaim, controlloop.KeyOf(claim).String(),
		func(obj controlloop.Object) bool {
			other := obj.(*corev1.Pod)
			return other.UID != pod.UID && other.Spec.NodeName != "" &&
				!controlloop.HasEnded(other)
		})
}

// Settle gets the claims of a Pod that is to run on a node their volumes, and
// reports whether they have them. If they do not, it makes the writes that are
// missing, and their events bring the Pod back.
func (c *Consumers) Settle(
	ctx context.Context, pod *corev1.Pod, node *corev1.Node,
) (settled bool, err error) {
	todo, _ := c.arrange(pod, node)
	for _, x := range todo {
		switch {
		case x.volume != nil:
			_, err = c.supply.point(ctx, x.volume, x.claim)
		case !has(x.claim, selectedNode):
			next := controlloop.Copy(x.claim)
			annotate(next, selectedNode, node.Name)
			_, err = c.client.Update(ctx, next)
		}
		if err != nil {
			return false, err
		}
	}
	return len(todo) == 0, nil
}
