package daemonset

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Misfit says why a Pod has no place on its node beside others, in a word and in
// a sentence; "": it has one. A kubelet looks at less than a scheduler: of
// taints, at those only under which no Pod stays; and resources of which the node
// knows nothing are somebody else's. (Kubernetes:
// pkg/kubelet/lifecycle/predicate.go.)
func Misfit(
	pod *corev1.Pod, node *corev1.Node, others []*corev1.Pod,
) (reason, message string) {
	n := newNode(node)
	for _, other := range others {
		n.add(demandOf(other))
	}
	c := &Cycle{pod: demandOf(pod)}
	for name := range c.pod.takes.others {
		_, known := n.room.others[name]
		if !known && strings.Contains(string(name), "/") {
			delete(c.pod.takes.others, name)
		}
	}
	for _, s := range n.shortages(c.pod) {
		return "OutOf" + string(s.resource), fmt.Sprintf(
			"Node didn't have enough resource: %s, requested: %d, used: %d, "+
				"capacity: %d", s.resource, s.wants, s.used, s.has)
	}
	for _, refuse := range []func(*Cycle, *Node) *Refusal{
		nodeAffinity, nodeName, nodePorts, driesOut,
	} {
		if r := refuse(c, n); r != nil {
			return r.Filter, fmt.Sprintf(
				"Predicate %s failed: %s", r.Filter, r.Reasons[0])
		}
	}
	return "", ""
}

var uninhabitable = &Refusal{"TaintToleration", []string{
	"node(s) had taints that the pod didn't tolerate"}, true}

// driesOut refuses where there is a taint under which the Pod would not stay.
func driesOut(c *Cycle, n *Node) *Refusal {
	if untolerated(n.Node, c.pod.Spec.Tolerations,
		corev1.TaintEffectNoExecute) != nil {
		return uninhabitable
	}
	return nil
}
