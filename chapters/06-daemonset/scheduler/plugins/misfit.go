package plugins

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Misfit says why a Pod has no place on its node beside others, in a word and
// in a sentence; "": it has one. A kubelet looks at less than a scheduler: of
// taints, at those only under which no Pod stays; and resources of which the
// node knows nothing are not its business. (Kubernetes:
// pkg/kubelet/lifecycle/predicate.go.)
func Misfit(
	pod *corev1.Pod, node *corev1.Node, others []*corev1.Pod,
) (reason, message string) {
	n := cache.NewNode(node, others...)
	c := &scheduler.Cycle{Pod: cache.NewPodInfo(pod)}
	for name := range c.Pod.Requests.Others {
		_, known := n.Allocatable.Others[name]
		if !known && strings.Contains(string(name), "/") {
			delete(c.Pod.Requests.Others, name)
		}
	}
	for _, s := range scheduler.Shortages(n, c.Pod) {
		return "OutOf" + string(s.Resource), fmt.Sprintf(
			"Node didn't have enough resource: %s, requested: %d, used: %d, "+
				"capacity: %d", s.Resource, s.Wants, s.Used, s.Has)
	}
	for _, refuse := range []func(*scheduler.Cycle, *cache.Node) *scheduler.Refusal{
		refuseOf("NodeAffinity"), refuseOf("NodeName"), nodePorts, driesOut,
	} {
		if r := refuse(c, n); r != nil {
			return r.Filter, fmt.Sprintf(
				"Predicate %s failed: %s", r.Filter, r.Reasons[0])
		}
	}
	return "", ""
}

// refuseOf returns what a filter of that name asks.
func refuseOf(name string) func(*scheduler.Cycle, *cache.Node) *scheduler.Refusal {
	for _, f := range scheduler.Filters() {
		if f.Name == name {
			return f.Refuse
		}
	}
	panic("there is no filter " + name)
}

var uninhabitable = &scheduler.Refusal{
	Filter: "TaintToleration", Final: true,
	Reasons: []string{"node(s) had taints that the pod didn't tolerate"},
}

// driesOut refuses where there is a taint under which the Pod would not stay.
func driesOut(c *scheduler.Cycle, n *cache.Node) *scheduler.Refusal {
	if daemonset.Untolerated(n.Node, c.Pod.Spec.Tolerations,
		corev1.TaintEffectNoExecute) != nil {
		return uninhabitable
	}
	return nil
}
