package storage

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Obstacle says why a Pod can start nowhere yet, or returns "" if, as far as
// its claims are concerned, it can.
//
//book:exercise 5h
func (c *Consumers) Obstacle(pod *corev1.Pod) string {
	immediate := false
	for _, key := range claimsOfPod(pod) {
		claim, ok := get[*corev1.PersistentVolumeClaim](c.claims, key)
		switch {
		case !ok:
			return fmt.Sprintf("persistentvolumeclaim %q not found", key.Name)
		case claim.Status.Phase == corev1.ClaimLost:
			return fmt.Sprintf("persistentvolumeclaim %q bound to "+
				"non-existent persistentvolume %q", key.Name, claim.Spec.VolumeName)
		case claim.DeletionTimestamp != nil:
			return fmt.Sprintf(
				"persistentvolumeclaim %q is being deleted", key.Name)
		}
		if !isWhole(claim) && !c.isDelayed(claim) {
			immediate = true
		}
	}
	if immediate {
		return "pod has unbound immediate PersistentVolumeClaims"
	}
	return ""
}

// find finds a volume for a claim on a node, beside those that others of the
// same Pod get, or finds that one can be made.
func (c *Consumers) find(
	claim *corev1.PersistentVolumeClaim, node *corev1.Node, others []arrangement,
) (arrangement, bool) {
	if chosen, ok := claim.Annotations[selectedNode]; ok {
		return arrangement{claim: claim}, chosen == node.Name
	}
	volume := c.supply.choose(claim, func(v *corev1.PersistentVolume) bool {
		return reaches(v, node) && !slices.ContainsFunc(others,
			func(o arrangement) bool {
				return o.volume != nil && o.volume.Name == v.Name
			})
	})
	if volume != nil {
		return arrangement{claim, volume}, reaches(volume, node)
	}
	class, ok := c.classOf(claim)
	return arrangement{claim: claim},
		ok && class.Provisioner != "kubernetes.io/no-provisioner"
}
