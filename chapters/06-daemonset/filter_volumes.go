package daemonset

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

// nodeVolumes refuses where the Pod's volumes cannot be.
func nodeVolumes(c *Cycle, n *Node) *Refusal {
	if c.volumes == nil {
		return nil
	}
	if why := c.volumes.Refusals(c.pod.Pod, n.Node); len(why) > 0 {
		return &Refusal{"VolumeBinding", why, true}
	}
	return nil
}

// movesVolumes: a claim or a volume has changed; a node is another; or a Pod has
// left that may have had a claim to itself.
func movesVolumes(_ *Nodes, _ *demand, e *event) bool {
	return e.volumes || e.gone() || e.isNewNode() || e.isRelabelled()
}
