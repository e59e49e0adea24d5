package scheduler

import (
	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Filter says why a node does not take a Pod.
type Filter struct {
	Name string // of Kubernetes' plugin

	// Refuse says why a node does not take the Pod that is being scheduled; nil:
	// as far as this filter is concerned, it does.
	Refuse func(c *Cycle, n *cache.Node) *Refusal

	// PreFilter prepares a Pod's cycle. It reports whether there is anything to
	// ask of nodes, and why none of them need be asked; nil: there always is.
	PreFilter func(c *Cycle) (concerned bool, all *Refusal)

	// Recount corrects what PreFilter has counted, for the time of a question:
	// a Pod comes to a node (1), or leaves it (-1). nil: nothing was counted.
	Recount func(c *Cycle, n *cache.Node, p *cache.PodInfo, by int)

	// Hint reports whether an event may help a Pod that was refused here.
	// (Kubernetes: a QueueingHint.)
	Hint func(all *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool
}

// Refusal is why a node does not take a Pod.
type Refusal struct {
	Filter  string
	Reasons []string // in Kubernetes' words
	Final   bool     // whichever Pods leave the node
}

// Filters returns the filters of this package, in the order in which a node is
// asked. The others of Kubernetes are plug-ins. (Kubernetes: the plugins that
// are on without any configuration,
// pkg/scheduler/apis/config/v1/default_plugins.go.)
func Filters() []Filter {
	return []Filter{
		{Name: "NodeName", Refuse: nodeName,
			PreFilter: namesANode, Hint: isNewNode},
		{Name: "NodeUnschedulable", Refuse: nodeUnschedulable, Hint: opens},
		{Name: "TaintToleration", Refuse: taintToleration, Hint: untaints},
		{Name: "NodeAffinity", Refuse: nodeAffinity,
			PreFilter: namedNodes, Hint: attracts},
		{Name: "NodeResourcesFit", Refuse: nodeResources, Hint: makesRoom},
	}
}

var notNamed = &Refusal{"NodeName", []string{
	"node(s) didn't match the requested node name"}, true}

// namesANode reports whether a Pod names its node. Such a Pod does not wait for
// a scheduler, but a kubelet asks as well.
func namesANode(c *Cycle) (bool, *Refusal) {
	return c.Pod.Spec.NodeName != "", nil
}

// nodeName refuses where another node was named. (Kubernetes:
// plugins/nodename.)
func nodeName(c *Cycle, n *cache.Node) *Refusal {
	if wants := c.Pod.Spec.NodeName; wants != "" && wants != n.Name {
		return notNamed
	}
	return nil
}

func isNewNode(_ *cache.Nodes, _ *cache.PodInfo, e *cache.Event) bool {
	return e.IsNewNode()
}

var cordoned = &Refusal{"NodeUnschedulable", []string{
	"node(s) were unschedulable"}, true}

// cordonTaint is what kubectl cordon says of a node, as a taint.
var cordonTaint = &corev1.Taint{
	Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
}

// nodeUnschedulable refuses where the node is cordoned off. (Kubernetes:
// plugins/nodeunschedulable.)
func nodeUnschedulable(c *Cycle, n *cache.Node) *Refusal {
	if n.Unschedulable &&
		!daemonset.IsTolerated(cordonTaint, c.Pod.Spec.Tolerations) {
		return cordoned
	}
	return nil
}

// opens reports whether a node has come, or is cordoned off no longer.
func opens(_ *cache.Nodes, _ *cache.PodInfo, e *cache.Event) bool {
	return e.Is != nil && !e.Is.Spec.Unschedulable &&
		(e.Was == nil || e.Was.Spec.Unschedulable)
}
