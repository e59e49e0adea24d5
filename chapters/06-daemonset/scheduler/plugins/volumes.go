package plugins

import (
	"slices"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// obstacle asks chapter 5 whether a Pod's claims let it start anywhere.
// (Kubernetes: plugins/volumebinding, plugins/volumerestrictions.)
func obstacle(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	if c.Volumes == nil || !hasClaims(c.Pod) {
		return false, nil
	}
	if why := c.Volumes.Obstacle(c.Pod.Pod); why != "" {
		return true, &scheduler.Refusal{
			Filter: "VolumeBinding", Reasons: []string{why}, Final: true,
		}
	}
	return true, nil
}

// hasClaims reports whether a Pod mounts a claim, or one that is made for it.
func hasClaims(p *cache.PodInfo) bool {
	for i := range p.Spec.Volumes {
		v := &p.Spec.Volumes[i]
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
func nodeVolumes(c *scheduler.Cycle, n *cache.Node) *scheduler.Refusal {
	why := c.Volumes.Refusals(c.Pod.Pod, n.Node)
	if slices.Contains(why, inUse) {
		return &scheduler.Refusal{
			Filter: "VolumeBinding", Reasons: []string{inUse},
		}
	}
	if len(why) > 0 {
		return &scheduler.Refusal{
			Filter: "VolumeBinding", Reasons: why, Final: true,
		}
	}
	return nil
}

// movesVolumes reports whether a claim or a volume has changed, a node is
// another, or a Pod has left that may have had a claim to itself.
func movesVolumes(_ *cache.Nodes, _ *cache.PodInfo, e *cache.Event) bool {
	return e.Volumes || e.HasLeft() || e.IsNewNode() || e.IsRelabelled()
}
