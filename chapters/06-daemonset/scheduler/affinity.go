package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

var (
	notWanted = &Refusal{"NodeAffinity", []string{
		"node(s) didn't match Pod's node affinity/selector"}, true}
	contradicted = &Refusal{"NodeAffinity", []string{
		"pod affinity terms conflict"}, true}
)

// nodeAffinity refuses where the Pod does not want to be. (Kubernetes:
// plugins/nodeaffinity.)
func nodeAffinity(c *Cycle, n *cache.Node) *Refusal {
	if !daemonset.Wants(&c.Pod.Spec, n.Node) {
		return notWanted
	}
	return nil
}

// attracts reports whether a node has become one that the Pod wants.
func attracts(_ *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	return e.Is != nil && daemonset.Wants(&p.Spec, e.Is) &&
		(e.Was == nil || !daemonset.Wants(&p.Spec, e.Was))
}

// namedNodes looks for the names of nodes, for then only these need be asked.
// That is how a Pod of a DaemonSet is placed among 5,000 nodes at the price of
// one.
func namedNodes(c *Cycle) (bool, *Refusal) {
	required := daemonset.RequiredNodes(&c.Pod.Spec)
	if required == nil {
		return c.Pod.Spec.NodeSelector != nil, nil
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

// rateAffinity prefers nodes of which much is true that the Pod would rather
// have. (Kubernetes: plugins/nodeaffinity.)
func rateAffinity(c *Cycle, nodes []*cache.Node, points []int64) {
	affinity := c.Pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil {
		return
	}
	terms := affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	for i, n := range nodes {
		for j := range terms {
			if daemonset.Matches(&terms[j].Preference, n.Node) {
				points[i] += int64(terms[j].Weight)
			}
		}
	}
	scaled(points)
}
