package plugins

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

const podAffinity = "InterPodAffinity"

// termCounts counts, by domain, the Pods that matter to the one that is being
// scheduled. (Kubernetes: preFilterState in plugins/interpodaffinity/filtering.go.)
type termCounts struct {
	affinity             topologyCounts // that all terms of its affinity match
	antiAffinity         topologyCounts // that a term of its anti-affinity matches
	existingAntiAffinity topologyCounts // whose anti-affinity matches it
}

// countTerms looks up how many Pods matter. If the Pod says nothing of others,
// only those do that say something themselves.
func countTerms(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	terms := &c.Pod.Terms
	says := len(terms.RequiredAffinity)+len(terms.RequiredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return false, nil
	}
	book, counts := neighboursOf(c.Nodes), &termCounts{}
	if near := terms.RequiredAffinity; len(near) > 0 {
		counts.affinity.kept = []*topologyCount{book.match(near)}
	}
	for i := range terms.RequiredAntiAffinity {
		counts.antiAffinity.kept = append(counts.antiAffinity.kept,
			book.match(terms.RequiredAntiAffinity[i:i+1]))
	}
	existing := &counts.existingAntiAffinity
	for of, t := range book.listen() {
		if of.weight == 0 && t.terms[0].Matches(c.Pod.Pod, c.Nodes) {
			existing.kept = append(existing.kept, t)
		}
	}
	c.Write(podAffinity, counts)
	return says || len(existing.kept) > 0, nil
}

// recountTerms counts a Pod that comes to a node, or leaves it, for the time of
// a question.
func recountTerms(c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int) {
	c.Read(podAffinity).(*termCounts).count(c, n, p, by)
}

func (counts *termCounts) count(
	c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int,
) {
	count := func(in *topologyCounts, t *cache.Term) {
		if at, ok := domainOf(n, t); ok {
			in.move(at, by)
		}
	}
	for i := range p.Terms.RequiredAntiAffinity {
		t := &p.Terms.RequiredAntiAffinity[i]
		if t.Matches(c.Pod.Pod, c.Nodes) {
			count(&counts.existingAntiAffinity, t)
		}
	}
	if matchAll(c.Pod.Terms.RequiredAffinity, p.Pod, c.Nodes) {
		for i := range c.Pod.Terms.RequiredAffinity {
			count(&counts.affinity, &c.Pod.Terms.RequiredAffinity[i])
		}
	}
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		t := &c.Pod.Terms.RequiredAntiAffinity[i]
		if t.Matches(p.Pod, c.Nodes) {
			count(&counts.antiAffinity, t)
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
		satisfied = satisfied && counts.affinity.in(at) > 0
	}
	return satisfied || counts.affinity.isEmpty() &&
		matchAll(terms, c.Pod.Pod, c.Nodes)
}

func (counts *termCounts) violateAntiAffinity(
	c *scheduler.Cycle, n *cache.Node,
) bool {
	for i := range c.Pod.Terms.RequiredAntiAffinity {
		at, ok := domainOf(n, &c.Pod.Terms.RequiredAntiAffinity[i])
		if ok && counts.antiAffinity.in(at) > 0 {
			return true
		}
	}
	return false
}

func (counts *termCounts) violateExisting(n *cache.Node) bool {
	existing := &counts.existingAntiAffinity
	if len(existing.kept)+len(existing.moved) == 0 {
		return false
	}
	for key, value := range n.Labels {
		if existing.in(domain{key, value}) > 0 {
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
