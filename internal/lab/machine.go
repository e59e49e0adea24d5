package lab

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/variables"
)

// machine returns a node as its kubelet finds it.
func (l *Lab) machine(s *controlloop.System, n *node) controlloop.Machine {
	return controlloop.Machine{
		Node: n.name, Runtime: n.runtime,
		Volumes: storage.NewMounts(s, n.name, l.folder),
		Resolve: variables.From(l.client).Resolve, Admit: l.admit,
	}
}

// admit says why a Pod has no place on its node beside others (Kubernetes:
// pkg/kubelet/lifecycle/predicate.go). A kubelet looks at less than a scheduler
// does: of taints, only at those that would evict the Pod.
func (l *Lab) admit(
	ctx context.Context, pod *corev1.Pod, others []*corev1.Pod,
) (reason, message string) {
	obj, err := l.client.Get(
		ctx, nodeKind, controlloop.Key{Name: pod.Spec.NodeName})
	if err != nil {
		return "", "" // a node that nobody has registered refuses nothing
	}
	node, wants := obj.(*corev1.Node), loadOf(pod)
	var has load
	for _, other := range others {
		has.add(loadOf(other), 1)
	}
	if short := resources(wants, node, has); len(short) > 0 {
		return short[0].plugin, shortage(short[0].plugin, wants, node, has)
	}
	for _, against := range [][]refusal{
		affinity(pod, node), ports(wants, has), evicted(pod, node),
	} {
		if len(against) > 0 {
			return against[0].plugin, fmt.Sprintf("Predicate %s failed: %s",
				against[0].plugin, against[0].reason)
		}
	}
	return "", ""
}

// evicted looks at the taints that no Pod stays under.
func evicted(pod *corev1.Pod, node *corev1.Node) []refusal {
	for _, taint := range node.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute && !tolerates(pod, taint) {
			return []refusal{{
				"TaintToleration", "node(s) had taints that the pod didn't tolerate"}}
		}
	}
	return nil
}
