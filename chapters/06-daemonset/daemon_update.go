package daemonset

import "slices"

// updateState says what an update makes of a node.
type updateState int

const (
	upToDate    updateState = iota // new Pod available, or no Pod should run
	inProgress                     // Pods are being deleted or created
	unavailable                    // old Pod not available: it is replaced at once
	available                      // old Pod available: it waits for the others
	surplus                        // available, but the node should run none
)

// updateStateOf says what an update makes of a node. Two new Pods or two old ones
// are reduced to one first, and the node is in progress until then. (Kubernetes:
// rollingUpdate in pkg/controller/daemon/update.go.)
func (r *rollout) updateStateOf(n nodePods) updateState {
	newPod, oldPod, ok := r.findUpdatedPodsOnNode(n.pods)
	switch {
	case !n.shouldRun && len(n.pods) == 0:
		return upToDate
	case !ok:
		return inProgress
	case r.allowsSurge && oldPod == nil, oldPod == nil && r.hasAvailable(newPod):
		return upToDate
	case oldPod == nil, newPod != nil:
		return inProgress
	case !r.isAvailable(oldPod):
		return unavailable
	case r.allowsSurge && !n.shouldRun:
		return surplus
	}
	return available
}

// rollingUpdate plans the next step of an update. Old Pods that are not available
// are replaced at once; then available ones, in the order of their nodes' names,
// on as many nodes as maxUnavailable or maxSurge leave. With surge it creates the
// new Pod, and podsWithSurge deletes the old one later; without, it deletes the
// old one, and podsShouldBeOnNode creates the new one. (Kubernetes: rollingUpdate
// in pkg/controller/daemon/update.go.)
//
//	10 nodes, maxUnavailable 3, 2 new Pods not ready yet, 1 old Pod failing:
//	3 are unavailable, the old Pod's among them. It is deleted, and 3-3 = 0 more.
func (r *rollout) rollingUpdate(nodes []nodePods) (p plan) {
	are := map[updateState][]nodePods{}
	desired, serving := 0, 0
	for _, n := range nodes {
		state := r.updateStateOf(n)
		are[state] = append(are[state], n)
		if n.shouldRun {
			desired++
		}
		if r.isServed(n) {
			serving++
		}
	}
	limit, spare := r.maxSurge(desired), serving-desired
	updating := len(are[inProgress])
	if !r.allowsSurge {
		limit = r.maxUnavailable(desired)
		updating += len(are[unavailable])
	}
	if limit == 0 {
		spare = 0 // a surge of a percentage of no nodes is none
	}
	for _, n := range slices.Concat(are[unavailable],
		upTo(limit-updating, are[available]), upTo(spare, are[surplus])) {
		if r.allowsSurge && n.shouldRun {
			p.nodesNeedingPods = append(p.nodesNeedingPods, n.name)
			continue
		}
		_, oldPod, _ := r.findUpdatedPodsOnNode(n.pods)
		p.podsToDelete = append(p.podsToDelete, oldPod)
	}
	return p
}
