package scheduler

import (
	"slices"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Score compares the nodes that take a Pod. (Kubernetes: the plugins that are
// on without any configuration, with their weights,
// pkg/scheduler/apis/config/v1/default_plugins.go.)
type Score struct {
	Name   string // of Kubernetes' plugin, or your own
	Weight int64

	// Rate gives each of the nodes 0 to 100 points; more is better. points is
	// as long as nodes, and holds zeros.
	Rate func(c *Cycle, nodes []*cache.Node, points []int64)
}

// Scores returns the scores of this package. The others of Kubernetes are
// plug-ins.
func Scores() []Score {
	return []Score{
		{"TaintToleration", 3, rateTaints},
		{"NodeAffinity", 2, rateAffinity},
		{"NodeResourcesFit", 1, rateRoom},
		{"NodeResourcesBalancedAllocation", 1, rateBalance},
	}
}

// best returns the node with the most points. If several have as many, ours
// takes the first by name, so that two runs are the same. In Kubernetes it hangs
// on the order in which filters that run side by side were done.
func (c *Cycle) best(
	nodes []*cache.Node, scores []Score, record *Decision,
) *cache.Node {
	sums := make([]int64, len(nodes))
	if len(nodes) > 1 {
		points := make([]int64, len(nodes))
		for i := range scores {
			clear(points)
			scores[i].Rate(c, nodes, points)
			for j := range points {
				sums[j] += points[j] * scores[i].Weight
			}
			record.rated(&scores[i], points)
		}
	}
	best := 0
	for i, n := range nodes {
		if sums[i] > sums[best] ||
			sums[i] == sums[best] && n.Name < nodes[best].Name {
			best = i
		}
	}
	return nodes[best]
}

// scaled has the most become 100 and the others their share of it.
func scaled(points []int64) {
	most := slices.Max(points)
	if most == 0 {
		return
	}
	for i := range points {
		points[i] = 100 * points[i] / most
	}
}

// reversed scales what should be little: the most becomes 0.
func reversed(points []int64) {
	scaled(points)
	for i := range points {
		points[i] = 100 - points[i]
	}
}
