package scheduler

import (
	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

var tainted = &Refusal{"TaintToleration", []string{
	"node(s) had untolerated taint(s)"}, true}

// taintToleration refuses where there is a taint that the Pod does not
// tolerate. (Kubernetes: plugins/tainttoleration.)
func taintToleration(c *Cycle, n *cache.Node) *Refusal {
	if len(n.Taints) > 0 && KeepsOut(n.Node, c.Pod.Pod) {
		return tainted
	}
	return nil
}

// KeepsOut reports whether a node's taints keep a Pod from it.
func KeepsOut(node *corev1.Node, pod *corev1.Pod) bool {
	return daemonset.Untolerated(node, pod.Spec.Tolerations,
		corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) != nil
}

// untaints reports whether a node keeps a Pod out no longer, or has come and
// does not.
func untaints(_ *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	return e.Is != nil && !KeepsOut(e.Is, p.Pod) &&
		(e.Was == nil || KeepsOut(e.Was, p.Pod))
}

// rateTaints prefers nodes with few taints that say to rather stay away.
// (Kubernetes: plugins/tainttoleration.)
func rateTaints(c *Cycle, nodes []*cache.Node, points []int64) {
	for i, n := range nodes {
		for j := range n.Taints {
			taint := &n.Taints[j]
			if taint.Effect == corev1.TaintEffectPreferNoSchedule &&
				!daemonset.IsTolerated(taint, c.Pod.Spec.Tolerations) {
				points[i]++
			}
		}
	}
	reversed(points)
}
