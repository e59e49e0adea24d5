package daemonset

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// nodePods is a node, and the set's Pods on it.
type nodePods struct {
	name                  string
	node                  *corev1.Node // nil: it does not exist
	shouldRun             bool         // it should run a Pod
	shouldContinueRunning bool         // a Pod on it may stay
	// The Pods that are on the node, or can only be scheduled to it, the first of
	// which counts. A Pod that has ended and is being deleted is left out.
	pods []*corev1.Pod
}

// walk reads every node, and every name of a node that a Pod can only be scheduled
// to, with the set's Pods on each, in the order of their names. Nothing is kept of
// it until the next. (Kubernetes: getNodesToDaemonPods in
// pkg/controller/daemon/daemon_controller.go.)
func (d *DaemonSets) walk(
	ctx context.Context, r *rollout,
) ([]nodePods, error) {
	pods, err := d.claimPods(ctx, r)
	if err != nil {
		return nil, err
	}
	byName := map[string]nodePods{}
	for _, obj := range d.Nodes.List() {
		n := nodePods{name: obj.GetName(), node: obj.(*corev1.Node)}
		n.shouldRun, n.shouldContinueRunning =
			nodeShouldRunPod(&r.template.Spec, n.node)
		byName[n.name] = n
	}
	for _, pod := range pods {
		if controlloop.HasEnded(pod) && pod.DeletionTimestamp != nil {
			continue
		}
		n := byName[targetNode(pod)]
		n.name = targetNode(pod)
		n.pods = append(n.pods, pod)
		byName[n.name] = n
	}
	delete(byName, "") // Pods for no particular node
	nodes := slices.SortedFunc(maps.Values(byName), func(a, b nodePods) int {
		return cmp.Compare(a.name, b.name)
	})
	for _, n := range nodes {
		slices.SortFunc(n.pods, byPrecedence)
	}
	return nodes, nil
}
