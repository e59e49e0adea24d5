package daemonset

import (
	corev1 "k8s.io/api/core/v1"
)

// updateState says what an update makes of a node.
type updateState int

const (
	upToDate    updateState = iota // new Pod available, or no Pod should run
	inProgress                     // Pods are being deleted or created
	unavailable                    // old Pod not available: it is replaced at once
	available                      // old Pod available: it waits for the others
	surplus                        // available, but the node should run none
)

// plan is what a reconcile creates and deletes.
type plan struct {
	nodesNeedingPods []string
	podsToDelete     []*corev1.Pod
}

func (p plan) isEmpty() bool {
	return len(p.nodesNeedingPods)+len(p.podsToDelete) == 0
}

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

// hasAvailable reports whether there is a Pod, and it is available.
func (r *rollout) hasAvailable(pod *corev1.Pod) bool {
	return pod != nil && r.isAvailable(pod)
}

// findUpdatedPodsOnNode returns the new Pod and the old one of a node, nil where
// there is none; ok is false if there are two new ones, or two old ones. Pods that
// are being deleted do not count. (Kubernetes: the same name in
// pkg/controller/daemon/update.go.)
func (r *rollout) findUpdatedPodsOnNode(
	pods []*corev1.Pod,
) (newPod, oldPod *corev1.Pod, ok bool) {
	for _, pod := range notTerminating(pods) {
		this := &oldPod
		if r.isUpdated(pod) {
			this = &newPod
		}
		if *this != nil {
			return nil, nil, false
		}
		*this = pod
	}
	return newPod, oldPod, true
}

// countUpdate says what a node counts for in an update: whether it is one of those
// that maxUnavailable or maxSurge allow, and whether an available Pod is on it.
// Without surge every node counts whose Pod is not available, whatever its
// revision; with surge, one whose new Pod runs beside the old one.
func (r *rollout) countUpdate(
	n nodePods, state updateState,
) (updating, serving int) {
	updating = one(state == inProgress || state == unavailable && !r.allowsSurge)
	newPod, oldPod, _ := r.findUpdatedPodsOnNode(n.pods)
	if oldPod == nil {
		oldPod = newPod
	}
	return updating, one(r.hasAvailable(oldPod))
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
func (s *survey) rollingUpdate() (p plan) {
	r := s.rollout
	limit := r.maxSurge(s.total.desired)
	if !r.allowsSurge {
		limit = r.maxUnavailable(s.total.desired)
	}
	names := s.byState[unavailable].take(burst)
	spare := s.total.serving - s.total.desired
	if limit == 0 {
		spare = 0 // a surge of a percentage of no nodes is none
	}
	for _, more := range []struct {
		of    updateState
		limit int
	}{
		{available, limit - s.total.updating},
		{surplus, spare},
	} {
		limit := min(more.limit, burst-len(names))
		names = append(names, s.byState[more.of].take(limit)...)
	}
	for _, name := range names {
		s.tried = append(s.tried, name)
		status := s.nodes[name]
		if r.allowsSurge && status.shouldRun {
			p.nodesNeedingPods = append(p.nodesNeedingPods, name)
			continue
		}
		_, oldPod, _ := r.findUpdatedPodsOnNode(status.pods)
		p.podsToDelete = append(p.podsToDelete, oldPod)
	}
	return p
}
