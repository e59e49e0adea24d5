package plugins

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// weighted is a constraint with its sum, and how much a Pod weighs in it.
type weighted struct {
	constraint
	sum    *sum
	weight float64
}

// rateSpread prefers nodes in whose domains there are few matching Pods.
// (Kubernetes: plugins/podtopologyspread/scoring.go.)
func rateSpread(c *scheduler.Cycle, nodes []*cache.Node, points []int64) {
	all := constraintsOf(c.Pod.Pod, corev1.ScheduleAnyway)
	needs := topologiesOf(all)
	if len(c.Pod.Spec.TopologySpreadConstraints) == 0 {
		all, needs = defaultConstraints(c), nil
	}
	if len(all) == 0 {
		return
	}
	rated := make([]bool, len(nodes))
	for i, n := range nodes {
		rated[i] = hasAll(n.Node, needs)
	}
	spread := weigh(c, all, needs, nodes, rated)
	for i, n := range nodes {
		if rated[i] {
			points[i] = around(n, spread)
		}
	}
	fewest(points, rated)
}

// weigh counts the matching Pods, and the domains that there are to choose
// from.
func weigh(
	c *scheduler.Cycle, all []constraint, needs []string,
	nodes []*cache.Node, rated []bool,
) []weighted {
	spread := make([]weighted, len(all))
	for i := range all {
		s := &spread[i]
		s.constraint = all[i]
		s.sum = sumOf(c, matchingOf(c.Nodes, c.Pod.Namespace, s.selector),
			&s.constraint, needs)
		s.weight = math.Log(float64(s.domains(nodes, rated) + 2))
	}
	return spread
}

// domains returns in how many domains these nodes are, those that are rated.
func (s *weighted) domains(nodes []*cache.Node, rated []bool) int {
	hosts, parts := 0, map[*part]bool{}
	for i, n := range nodes {
		switch {
		case !rated[i]:
		case s.isOfHosts():
			hosts++
		default:
			parts[s.sum.at[n.Place]] = true
		}
	}
	return hosts + len(parts)
}

// around returns how many matching Pods there are around a node. If there
// are many domains, one more in each weighs more.
func around(n *cache.Node, spread []weighted) int64 {
	sum := 0.0
	for i := range spread {
		s := &spread[i]
		if part := s.sum.at[n.Place]; part != nil && s.isIn(n, part) {
			sum += float64(part.count)*s.weight + float64(s.maxSkew-1)
		}
	}
	return int64(math.Round(sum))
}

// isIn reports whether a node is in a domain at all: it may lack the label.
func (s *weighted) isIn(n *cache.Node, part *part) bool {
	if part.value != "" {
		return true
	}
	_, ok := n.Labels[s.topology]
	return ok
}

// fewest turns numbers of Pods into points: the fewest get 100, and nodes that
// are in no domain get nothing.
func fewest(points []int64, rated []bool) {
	most, least := slices.Max(points), int64(math.MaxInt64)
	for i, p := range points {
		if rated[i] {
			least = min(least, p)
		}
	}
	for i, p := range points {
		switch {
		case !rated[i]:
			points[i] = 0
		case most == 0:
			points[i] = 100
		default:
			points[i] = 100 * (most + least - p) / most
		}
	}
}
