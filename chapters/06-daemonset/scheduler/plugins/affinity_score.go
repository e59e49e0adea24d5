package plugins

import (
	"math"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// hardWeight is what a Pod counts that must be near this one: it has no choice,
// this one has. (Kubernetes: hardPodAffinityWeight.)
const hardWeight = 1

// rateTerms prefers nodes in whose domains those Pods are that this one would
// rather be near, or that would rather be near this one. (Kubernetes:
// plugins/interpodaffinity/scoring.go.)
func rateTerms(c *scheduler.Cycle, nodes []*cache.Node, points []int64) {
	all := weighTerms(c)
	if len(all) == 0 {
		return
	}
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i, n := range nodes {
		for _, w := range all {
			points[i] += w.of(n)
		}
		low, high = min(low, points[i]), max(high, points[i])
	}
	for i := range points {
		if high == low {
			points[i] = 0
			continue
		}
		share := float64(points[i]-low) / float64(high-low)
		points[i] = int64(100 * share)
	}
}

// weighed is how many Pods there are in the domains of a term, and what each of
// them weighs.
type weighed struct {
	*topologyCount
	weight int64
}

// of returns what the Pods in a node's domain weigh.
func (w weighed) of(n *cache.Node) int64 {
	at, ok := domainOf(n, &w.terms[0])
	if !ok {
		return 0
	}
	return w.weight * int64(w.domains[at])
}

// weighTerms weighs the Pods that say something of others, or all, if the Pod
// itself does.
func weighTerms(c *scheduler.Cycle) (all []weighed) {
	terms := &c.Pod.Terms
	says := len(terms.PreferredAffinity)+len(terms.PreferredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return nil
	}
	book := neighboursOf(c.Nodes)
	weigh := func(terms []cache.Term, sign int64) {
		for i := range terms {
			all = append(all,
				weighed{book.match(terms[i : i+1]), sign * terms[i].Weight})
		}
	}
	weigh(terms.PreferredAffinity, 1)
	weigh(terms.PreferredAntiAffinity, -1)
	for of, t := range book.listen() {
		if of.weight != 0 && t.terms[0].Matches(c.Pod.Pod, c.Nodes) {
			all = append(all, weighed{t, of.weight})
		}
	}
	return all
}
