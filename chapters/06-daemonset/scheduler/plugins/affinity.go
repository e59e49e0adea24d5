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

// domainOf returns the domain of a node that a term is about, if it is in one.
func domainOf(n *cache.Node, t *cache.Term) (domain, bool) {
	value, ok := n.Labels[t.TopologyKey]
	return domain{t.TopologyKey, value}, ok
}

// topologyCount has how many Pods there are in each domain that has some.
// (Kubernetes: topologyToMatchedTermCount in plugins/interpodaffinity/filtering.go.)
type topologyCount map[domain]int

// count counts a Pod in the domain that a term is about.
func (count topologyCount) count(n *cache.Node, t *cache.Term, by int) {
	at, ok := domainOf(n, t)
	if !ok {
		return
	}
	if count[at] += by; count[at] == 0 {
		delete(count, at)
	}
}

// termCounts counts, by domain, the Pods that matter to the one that is being
// scheduled. (Kubernetes: preFilterState in plugins/interpodaffinity/filtering.go.)
type termCounts struct {
	affinity             topologyCount // that all terms of its affinity match
	antiAffinity         topologyCount // that a term of its anti-affinity matches
	existingAntiAffinity topologyCount // whose anti-affinity matches it
}

// countTerms counts how many Pods matter. If the Pod says nothing of others,
// only those do that say something themselves.
func countTerms(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	terms := &c.Pod.Terms
	says := len(terms.RequiredAffinity)+len(terms.RequiredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return false, nil
	}
	counts := &termCounts{topologyCount{}, topologyCount{}, topologyCount{}}
	for _, n := range c.List() {
		for _, p := range n.Pods {
			counts.count(c, n, p, 1)
		}
	}
	c.Write(podAffinity, counts)
	return says || len(counts.existingAntiAffinity) > 0, nil
}

// recountTerms counts a Pod that comes to a node, or leaves it, for the time of
// a question.
func recountTerms(c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int) {
	c.Read(podAffinity).(*termCounts).count(c, n, p, by)
}

func (counts *termCounts) count(
	c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int,
) {
	for i := range p.Terms.RequiredAntiAffinity {
		t := &p.Terms.RequiredAntiAffinity[i]
		if t.Matches(c.Pod.Pod, c.Nodes) {
			counts.existingAntiAffinity.count(n, t, by)
		}
	}
	if matchAll(c.Pod.Terms.RequiredAffinity, p.Pod, c.Nodes) {
		for i := range c.Pod.Terms.RequiredAffinity {
			counts.affinity.count(n, &c.Pod.Terms.RequiredAffinity[i], by)
		}
	}
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		t := &c.Pod.Terms.RequiredAntiAffinity[i]
		if t.Matches(p.Pod, c.Nodes) {
			counts.antiAffinity.count(n, t, by)
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
		at, ok := domainOf(n, &terms[i])
		if !ok {
			return false
		}
		satisfied = satisfied && counts.affinity[at] > 0
	}
	return satisfied || len(counts.affinity) == 0 &&
		matchAll(terms, c.Pod.Pod, c.Nodes)
}

func (counts *termCounts) violateAntiAffinity(
	c *scheduler.Cycle, n *cache.Node,
) bool {
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		at, ok := domainOf(n, &c.Pod.Terms.RequiredAntiAffinity[i])
		if ok && counts.antiAffinity[at] > 0 {
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
