package daemonset

import "slices"

// aboutVolumes asks chapter 5 whether a Pod's claims let it start anywhere.
// (Kubernetes: plugins/volumebinding, plugins/volumerestrictions.)
func aboutVolumes(c *Cycle) (bool, *Refusal) {
	if c.volumes == nil || !hasClaims(c.pod) {
		return false, nil
	}
	if obstacle := c.volumes.Obstacle(c.pod.Pod); obstacle != "" {
		return true, &Refusal{"VolumeBinding", []string{obstacle}, true}
	}
	return true, nil
}

// hasClaims reports whether a Pod mounts a claim, or one that is made for it.
func hasClaims(d *demand) bool {
	for i := range d.Spec.Volumes {
		v := &d.Spec.Volumes[i]
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return true
		}
	}
	return false
}

const inUse = "node(s) unavailable due to PersistentVolumeClaim with " +
	"ReadWriteOncePod access mode already in-use by another pod"

// nodeVolumes refuses where the Pod's volumes cannot be. That another Pod has
// what only one may have is asked first, and may change: that Pod may leave.
func nodeVolumes(c *Cycle, n *Node) *Refusal {
	if c.volumes == nil {
		return nil
	}
	why := c.volumes.Refusals(c.pod.Pod, n.Node)
	if slices.Contains(why, inUse) {
		return &Refusal{"VolumeBinding", []string{inUse}, false}
	}
	if len(why) > 0 {
		return &Refusal{"VolumeBinding", why, true}
	}
	return nil
}

// movesVolumes: a claim or a volume has changed; a node is another; or a Pod has
// left that may have had a claim to itself.
func movesVolumes(_ *Nodes, _ *demand, e *event) bool {
	return e.volumes || e.gone() || e.isNewNode() || e.isRelabelled()
}
