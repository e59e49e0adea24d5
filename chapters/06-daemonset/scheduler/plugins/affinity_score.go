package plugins

import (
	"math"

	corev1 "k8s.io/api/core/v1"

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
		for key, value := range n.Labels {
			points[i] += all[domain{key, value}]
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

// weighTerms adds up, by domain, what Pods weigh that say something of this one,
// and what all weigh of which it says something itself.
func weighTerms(c *scheduler.Cycle) map[domain]int64 {
	terms := &c.Pod.Terms
	says := len(terms.PreferredAffinity)+len(terms.PreferredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return nil
	}
	all := map[domain]int64{}
	for _, n := range c.List() {
		weigh := func(terms []cache.Term, about *corev1.Pod, sign int64) {
			for i := range terms {
				at, ok := domainOf(n, &terms[i])
				if ok && terms[i].Matches(about, c.Nodes) {
					all[at] += sign * max(terms[i].Weight, hardWeight)
				}
			}
		}
		for _, p := range n.Pods {
			weigh(terms.PreferredAffinity, p.Pod, 1)
			weigh(terms.PreferredAntiAffinity, p.Pod, -1)
			weigh(p.Terms.RequiredAffinity, c.Pod.Pod, 1)
			weigh(p.Terms.PreferredAffinity, c.Pod.Pod, 1)
			weigh(p.Terms.PreferredAntiAffinity, c.Pod.Pod, -1)
		}
	}
	return all
}
