package storage

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

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
