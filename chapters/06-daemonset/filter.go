package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Filter says why a node does not take a Pod. (Kubernetes: the plugins that are
// on without any configuration, pkg/scheduler/apis/config/v1/default_plugins.go.)
type Filter struct {
	Name string // of Kubernetes' plugin

	// Refuse says why a node does not take the Pod whose turn it is; nil: as far
	// as this filter is concerned, it does.
	Refuse func(c *Cycle, n *Node) *Refusal

	// begin prepares a Pod's turn. It reports whether there is anything to ask of
	// nodes, and why none of them need be asked; nil: there always is.
	begin func(c *Cycle) (concerned bool, all *Refusal)

	// wakes reports whether an event may help a Pod that was refused here.
	wakes func(all *Nodes, d *demand, e *event) bool
}

// Refusal is why a node does not take a Pod.
type Refusal struct {
	Filter  string
	Reasons []string // in Kubernetes' words
	Final   bool     // whichever Pods leave the node
}

// Filters returns all filters, in the order in which a node is asked.
func Filters() []Filter {
	return []Filter{
		{"NodeName", nodeName, aboutName, isNewNode},
		{"NodeUnschedulable", nodeUnschedulable, nil, opens},
		{"TaintToleration", taintToleration, nil, untaints},
		{"NodeAffinity", nodeAffinity, aboutNodes, attracts},
		{"NodePorts", nodePorts, aboutPorts, freesPort},
		{"NodeResourcesFit", nodeResources, nil, makesRoom},
		{"VolumeBinding", nodeVolumes, aboutVolumes, movesVolumes},
		{"PodTopologySpread", nodeSpread, aboutSpread, shiftsSpread},
		{"InterPodAffinity", nodeNeighbours, aboutNeighbours, movesNeighbour},
	}
}

var (
	notNamed = &Refusal{"NodeName", []string{
		"node(s) didn't match the requested node name"}, true}
	cordoned = &Refusal{"NodeUnschedulable", []string{
		"node(s) were unschedulable"}, true}
	tainted = &Refusal{"TaintToleration", []string{
		"node(s) had untolerated taint(s)"}, true}
	notWanted = &Refusal{"NodeAffinity", []string{
		"node(s) didn't match Pod's node affinity/selector"}, true}
	contradicted = &Refusal{"NodeAffinity", []string{
		"pod affinity terms conflict"}, true}
)

// aboutName: a Pod that names a node does not wait for a scheduler, but a kubelet
// asks as well.
func aboutName(c *Cycle) (bool, *Refusal) {
	return c.pod.Spec.NodeName != "", nil
}

// nodeName refuses where another node was named. (Kubernetes: plugins/nodename.)
func nodeName(c *Cycle, n *Node) *Refusal {
	if wants := c.pod.Spec.NodeName; wants != "" && wants != n.Name {
		return notNamed
	}
	return nil
}

func isNewNode(_ *Nodes, _ *demand, e *event) bool { return e.isNewNode() }

// cordonTaint is what kubectl cordon says of a node, as a taint.
var cordonTaint = &corev1.Taint{
	Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
}

// nodeUnschedulable refuses where somebody has cordoned the node off.
// (Kubernetes: plugins/nodeunschedulable.)
func nodeUnschedulable(c *Cycle, n *Node) *Refusal {
	if n.closed && !isTolerated(cordonTaint, c.pod.Spec.Tolerations) {
		return cordoned
	}
	return nil
}

func opens(_ *Nodes, _ *demand, e *event) bool {
	return e.is != nil && !e.is.Spec.Unschedulable &&
		(e.was == nil || e.was.Spec.Unschedulable)
}

// taintToleration refuses where there is a taint that the Pod does not tolerate.
// (Kubernetes: plugins/tainttoleration.)
func taintToleration(c *Cycle, n *Node) *Refusal {
	if len(n.taints) > 0 && keepsOut(n.Node, c.pod.Pod) {
		return tainted
	}
	return nil
}

// keepsOut reports whether a node's taints keep a Pod from it.
func keepsOut(node *corev1.Node, pod *corev1.Pod) bool {
	return untolerated(node, pod.Spec.Tolerations,
		corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) != nil
}

func untaints(_ *Nodes, d *demand, e *event) bool {
	return e.is != nil && !keepsOut(e.is, d.Pod) &&
		(e.was == nil || keepsOut(e.was, d.Pod))
}

// nodeAffinity refuses where the Pod does not want to be. (Kubernetes:
// plugins/nodeaffinity.)
func nodeAffinity(c *Cycle, n *Node) *Refusal {
	if !wants(&c.pod.Spec, n.Node) {
		return notWanted
	}
	return nil
}

func attracts(_ *Nodes, d *demand, e *event) bool {
	return e.is != nil && wants(&d.Spec, e.is) &&
		(e.was == nil || !wants(&d.Spec, e.was))
}

// aboutNodes looks for the names of nodes, for then only these need be asked.
// That is how a Pod of a DaemonSet is placed among 5,000 nodes at the price of
// one.
func aboutNodes(c *Cycle) (bool, *Refusal) {
	required := requiredNodes(&c.pod.Spec)
	if required == nil {
		return c.pod.Spec.NodeSelector != nil, nil
	}
	names, said := named(required.NodeSelectorTerms)
	if said && len(names) == 0 {
		return true, contradicted
	}
	if said {
		c.only = names
	}
	return true, nil
}

func requiredNodes(spec *corev1.PodSpec) *corev1.NodeSelector {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return spec.Affinity.NodeAffinity.
		RequiredDuringSchedulingIgnoredDuringExecution
}

// named returns the names of nodes that one of the terms allows, if all terms
// name some.
func named(terms []corev1.NodeSelectorTerm) (names []string, said bool) {
	for _, term := range terms {
		allowed, said := namedIn(term.MatchFields)
		if !said {
			return nil, false
		}
		names = append(names, allowed...)
	}
	slices.Sort(names)
	return slices.Compact(names), len(terms) > 0
}

// namedIn returns the names that all of a term's requirements allow.
func namedIn(all []corev1.NodeSelectorRequirement) (names []string, said bool) {
	for _, says := range all {
		switch {
		case says.Key != "metadata.name" ||
			says.Operator != corev1.NodeSelectorOpIn:
		case said:
			names = slices.DeleteFunc(names, func(name string) bool {
				return !slices.Contains(says.Values, name)
			})
		default:
			names, said = slices.Clone(says.Values), true
		}
	}
	return names, said
}

// aboutPorts: most Pods have none.
func aboutPorts(c *Cycle) (bool, *Refusal) { return len(c.pod.ports) > 0, nil }
