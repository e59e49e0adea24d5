package daemonset

import (
	"math"

	corev1 "k8s.io/api/core/v1"
)

// like is how a Pod's like are spread over domains.
type like struct {
	constraint
	sum    *sum
	weight float64
}

// rateSpread prefers nodes in whose domains there are few of the Pod's like.
// (Kubernetes: plugins/podtopologyspread/scoring.go.)
func rateSpread(c *Cycle, nodes []*Node, points []int64) {
	all := constraintsOf(c.pod.Pod, corev1.ScheduleAnyway)
	needs := topologiesOf(all)
	if len(c.pod.Spec.TopologySpreadConstraints) == 0 {
		all, needs = c.groups.constraints(c.pod.Pod), nil
	}
	if len(all) == 0 {
		return
	}
	rated := make([]bool, len(nodes))
	for i, n := range nodes {
		rated[i] = hasAll(n.Node, needs)
	}
	spread := c.likeOf(all, needs, nodes, rated)
	for i, n := range nodes {
		if rated[i] {
			points[i] = crowded(n, spread)
		}
	}
	fewest(points, rated)
}

// likeOf counts the Pod's like, and the domains that there are to choose from.
func (c *Cycle) likeOf(
	all []constraint, needs []string, nodes []*Node, rated []bool,
) []like {
	spread := make([]like, len(all))
	for i := range all {
		s := &spread[i]
		s.constraint = all[i]
		s.sum = c.sum(c.crowd(c.pod.Namespace, s.like), &s.constraint, needs)
		s.weight = math.Log(float64(s.domains(nodes, rated) + 2))
	}
	return spread
}

// domains is in how many domains these nodes are, those that are rated.
func (s *like) domains(nodes []*Node, rated []bool) int {
	hosts, parts := 0, map[*part]bool{}
	for i, n := range nodes {
		switch {
		case !rated[i]:
		case s.isOfHosts():
			hosts++
		default:
			parts[s.sum.at[n.place]] = true
		}
	}
	return hosts + len(parts)
}

// isOfHosts: each node is a domain.
func (s *constraint) isOfHosts() bool { return s.topology == corev1.LabelHostname }

// crowded is how many of the Pod's like there are around a node. Where there are
// many domains, one more in each weighs more.
func crowded(n *Node, spread []like) int64 {
	sum := 0.0
	for i := range spread {
		s := &spread[i]
		if part := s.sum.at[n.place]; part != nil && s.isIn(n, part) {
			sum += float64(part.like)*s.weight + float64(s.skew-1)
		}
	}
	return int64(math.Round(sum))
}

// isIn reports whether a node is in a domain at all: it may lack the label.
func (s *like) isIn(n *Node, part *part) bool {
	if part.value != "" {
		return true
	}
	_, ok := n.Labels[s.topology]
	return ok
}

// fewest turns crowds into points: the least crowded gets 100, and nodes that
// are in no domain get nothing.
func fewest(points []int64, rated []bool) {
	most, least := highest(points), int64(math.MaxInt64)
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
