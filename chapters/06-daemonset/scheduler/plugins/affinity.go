package plugins

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

const podAffinity = "InterPodAffinity"

// domain is all nodes that have this value of this label.
type domain struct{ topology, value string }

// termCounts counts, by domain, the Pods that matter to the one whose turn it
// is. (Kubernetes: preFilterState in plugins/interpodaffinity/filtering.go.)
type termCounts struct {
	affinity             map[domain]int // that all terms of its affinity match
	antiAffinity         map[domain]int // that a term of its anti-affinity matches
	existingAntiAffinity map[domain]int // whose anti-affinity matches it
}

// countTerms counts the Pods that matter. If the Pod says nothing of others,
// only those do that say something themselves.
func countTerms(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	terms := &c.Pod.Terms
	says := len(terms.RequiredAffinity)+len(terms.RequiredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return false, nil
	}
	counts := &termCounts{map[domain]int{}, map[domain]int{}, map[domain]int{}}
	for _, n := range c.List() {
		pods := n.WithAffinity
		if says {
			pods = n.Pods
		}
		for _, p := range pods {
			counts.count(c, n, p, 1)
		}
	}
	c.Write(podAffinity, counts)
	return says || len(counts.existingAntiAffinity) > 0, nil
}

// recountTerms counts a Pod that comes to a node, or leaves it.
func recountTerms(c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int) {
	c.Read(podAffinity).(*termCounts).count(c, n, p, by)
}

func (counts *termCounts) count(
	c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int,
) {
	count := func(in map[domain]int, t *cache.Term) {
		if value, ok := n.Labels[t.TopologyKey]; ok {
			in[domain{t.TopologyKey, value}] += by
		}
	}
	for i := range p.Terms.RequiredAntiAffinity {
		t := &p.Terms.RequiredAntiAffinity[i]
		if t.Matches(c.Pod.Pod, c.Nodes) {
			count(counts.existingAntiAffinity, t)
		}
	}
	if matchAll(c.Pod.Terms.RequiredAffinity, p.Pod, c.Nodes) {
		for i := range c.Pod.Terms.RequiredAffinity {
			count(counts.affinity, &c.Pod.Terms.RequiredAffinity[i])
		}
	}
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		t := &c.Pod.Terms.RequiredAntiAffinity[i]
		if t.Matches(p.Pod, c.Nodes) {
			count(counts.antiAffinity, t)
		}
	}
}

// matchAll reports whether there are terms, and all of them match a Pod.
func matchAll(terms []cache.Term, pod *corev1.Pod, all *cache.Nodes) bool {
	for i := range terms {
		if !terms[i].Matches(pod, all) {
			return false
		}
	}
	return len(terms) > 0
}

// matchAny reports whether one of the terms matches a Pod.
func matchAny(terms []cache.Term, pod *corev1.Pod, all *cache.Nodes) bool {
	return slices.ContainsFunc(terms,
		func(t cache.Term) bool { return t.Matches(pod, all) })
}

var (
	affinityRules = &scheduler.Refusal{
		Filter: podAffinity, Final: true,
		Reasons: []string{"node(s) didn't match pod affinity rules"},
	}
	antiAffinityRules = &scheduler.Refusal{
		Filter:  podAffinity,
		Reasons: []string{"node(s) didn't match pod anti-affinity rules"},
	}
	existingAntiAffinityRules = &scheduler.Refusal{
		Filter: podAffinity, Reasons: []string{
			"node(s) didn't satisfy existing pods anti-affinity rules"},
	}
)

// nodePods refuses where a Pod is missing that this one must be near, where one
// is that it must not be near, and where one is that must not be near it.
// (Kubernetes: plugins/interpodaffinity/filtering.go.)
func nodePods(c *scheduler.Cycle, n *cache.Node) *scheduler.Refusal {
	counts := c.Read(podAffinity).(*termCounts)
	switch {
	case !counts.satisfyAffinity(c, n):
		return affinityRules
	case counts.violateAntiAffinity(c, n):
		return antiAffinityRules
	case counts.violateExisting(n):
		return existingAntiAffinityRules
	}
	return nil
}

// satisfyAffinity reports whether the Pods that a Pod must be near are in the
// domains of a node. The first of a group would wait for the others for good,
// and they for it: it may go anywhere if its own terms match it.
func (counts *termCounts) satisfyAffinity(
	c *scheduler.Cycle, n *cache.Node,
) bool {
	satisfied := true
	terms := c.Pod.Terms.RequiredAffinity
	for i := range terms {
		value, ok := n.Labels[terms[i].TopologyKey]
		if !ok {
			return false
		}
		satisfied = satisfied &&
			counts.affinity[domain{terms[i].TopologyKey, value}] > 0
	}
	return satisfied || !anyAbove(counts.affinity) &&
		matchAll(terms, c.Pod.Pod, c.Nodes)
}

func anyAbove(counts map[domain]int) bool {
	for _, n := range counts {
		if n > 0 {
			return true
		}
	}
	return false
}

func (counts *termCounts) violateAntiAffinity(
	c *scheduler.Cycle, n *cache.Node,
) bool {
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		t := &c.Pod.Terms.RequiredAntiAffinity[i]
		value, ok := n.Labels[t.TopologyKey]
		if ok && counts.antiAffinity[domain{t.TopologyKey, value}] > 0 {
			return true
		}
	}
	return false
}

func (counts *termCounts) violateExisting(n *cache.Node) bool {
	if len(counts.existingAntiAffinity) == 0 {
		return false
	}
	for key, value := range n.Labels {
		if counts.existingAntiAffinity[domain{key, value}] > 0 {
			return true
		}
	}
	return false
}

// movesPods reports whether a Pod has come that this one must be near, or one
// has left that kept it away, or the domains are others.
func movesPods(all *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	switch {
	case e.Came != nil &&
		matchAll(p.Terms.RequiredAffinity, e.Came.Pod, all):
		return true
	case e.Left != nil:
		return matchAny(p.Terms.RequiredAntiAffinity, e.Left.Pod, all) ||
			matchAny(e.Left.Terms.RequiredAntiAffinity, p.Pod, all)
	}
	return e.IsNewNode() || e.IsRelabelled()
}
