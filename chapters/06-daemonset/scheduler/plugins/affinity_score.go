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
	sums := weighTerms(c)
	if len(sums) == 0 {
		return
	}
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i, n := range nodes {
		for key, values := range sums {
			if value, ok := n.Labels[key]; ok {
				points[i] += values[value]
			}
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

// weights add up by domain: the label's key, then its value.
type weights map[string]map[string]int64

// weighTerms weighs the Pods that say something of others, or all, if the Pod
// itself does.
func weighTerms(c *scheduler.Cycle) weights {
	terms := &c.Pod.Terms
	says := len(terms.PreferredAffinity)+len(terms.PreferredAntiAffinity) > 0
	if !says && c.WithAffinity == 0 {
		return nil
	}
	sums := weights{}
	for _, n := range c.List() {
		pods := n.WithAffinity
		if says {
			pods = n.Pods
		}
		for _, p := range pods {
			sums.weigh(c, n, p)
		}
	}
	return sums
}

// weigh weighs a Pod that is on a node.
func (w weights) weigh(c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo) {
	add := func(terms []cache.Term, whom *cache.PodInfo, weight int64) {
		for i := range terms {
			if t := &terms[i]; t.Matches(whom.Pod, c.Nodes) {
				w.add(n, t, weight*max(t.Weight, hardWeight))
			}
		}
	}
	add(c.Pod.Terms.PreferredAffinity, p, 1)
	add(c.Pod.Terms.PreferredAntiAffinity, p, -1)
	add(p.Terms.RequiredAffinity, c.Pod, 1)
	add(p.Terms.PreferredAffinity, c.Pod, 1)
	add(p.Terms.PreferredAntiAffinity, c.Pod, -1)
}

func (w weights) add(n *cache.Node, t *cache.Term, weight int64) {
	value, ok := n.Labels[t.TopologyKey]
	if !ok {
		return
	}
	if w[t.TopologyKey] == nil {
		w[t.TopologyKey] = map[string]int64{}
	}
	w[t.TopologyKey][value] += weight
}
