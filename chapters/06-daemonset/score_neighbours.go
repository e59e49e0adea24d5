package daemonset

import "math"

// hardWeight is what a Pod counts that must be near this one: it has no choice,
// this one has. (Kubernetes: hardPodAffinityWeight.)
const hardWeight = 1

// rateNeighbours prefers nodes in whose domains those Pods are that this one
// would rather be near, or that would rather be near this one. (Kubernetes:
// plugins/interpodaffinity/scoring.go.)
func rateNeighbours(c *Cycle, nodes []*Node, points []int64) {
	sums := c.weighNeighbours()
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

// weighNeighbours weighs those who have something to say: those that care who is
// near, or all, if the Pod itself does.
func (c *Cycle) weighNeighbours() weights {
	terms := &c.pod.terms
	says := len(terms.ratherNear)+len(terms.ratherApart) > 0
	if !says && c.choosy == 0 {
		return nil
	}
	sums := weights{}
	for _, n := range c.List() {
		pods := n.choosy
		if says {
			pods = n.pods
		}
		for _, d := range pods {
			c.weigh(sums, n, d)
		}
	}
	return sums
}

// weigh weighs one that is on a node.
func (c *Cycle) weigh(sums weights, n *Node, d *demand) {
	add := func(terms []term, whom *demand, weight int64) {
		for i := range terms {
			if t := &terms[i]; t.means(whom.Pod, c.Nodes) {
				sums.add(n, t, weight*max(t.weight, hardWeight))
			}
		}
	}
	add(c.pod.terms.ratherNear, d, 1)
	add(c.pod.terms.ratherApart, d, -1)
	add(d.terms.near, c.pod, 1)
	add(d.terms.ratherNear, c.pod, 1)
	add(d.terms.ratherApart, c.pod, -1)
}

func (w weights) add(n *Node, t *term, weight int64) {
	value, ok := n.Labels[t.topology]
	if !ok {
		return
	}
	if w[t.topology] == nil {
		w[t.topology] = map[string]int64{}
	}
	w[t.topology][value] += weight
}
