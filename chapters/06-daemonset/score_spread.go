package daemonset

import (
	"math"

	corev1 "k8s.io/api/core/v1"
)

// like is how a Pod's like are spread over the domains in which there is a node
// that takes it.
type like struct {
	constraint
	crowd  *crowd
	count  map[string]int // by domain; not of single nodes
	weight float64
}

// rateSpread prefers nodes in whose domains there are few of the Pod's like.
// (Kubernetes: plugins/podtopologyspread/scoring.go.)
func rateSpread(c *Cycle, nodes []*Node, points []int64) {
	all := constraintsOf(c.pod.Pod, corev1.ScheduleAnyway)
	strict := len(c.pod.Spec.TopologySpreadConstraints) > 0
	if !strict {
		all = c.groups.constraints(c.pod.Pod)
	}
	if len(all) == 0 {
		return
	}
	rated := make([]bool, len(nodes))
	for i, n := range nodes {
		rated[i] = !strict || hasAll(n.Node, all)
	}
	spread := c.likeOf(all, nodes, rated)
	c.countAll(spread, strict)
	for i, n := range nodes {
		if rated[i] {
			points[i] = c.crowded(n, spread)
		}
	}
	fewest(points, rated)
}

// likeOf returns the domains in which somebody is to be counted.
func (c *Cycle) likeOf(
	all []constraint, nodes []*Node, rated []bool,
) []like {
	spread := make([]like, len(all))
	for i := range all {
		s := &spread[i]
		s.constraint, s.count = all[i], map[string]int{}
		s.crowd = c.crowd(c.pod.Namespace, s.like)
		domains := 0
		for j, n := range nodes {
			if rated[j] && s.isOfHosts() {
				domains++
			} else if rated[j] {
				s.count[n.Labels[s.topology]] = 0
			}
		}
		s.weight = math.Log(float64(max(domains, len(s.count)) + 2))
	}
	return spread
}

// isOfHosts: there are as many domains as nodes, and only those need be counted
// that take the Pod.
func (s *constraint) isOfHosts() bool { return s.topology == corev1.LabelHostname }

// countAll counts the Pod's like where there are some.
func (c *Cycle) countAll(spread []like, strict bool) {
	all := make([]constraint, len(spread))
	for i := range spread {
		all[i] = spread[i].constraint
	}
	for i := range spread {
		s := &spread[i]
		if s.isOfHosts() {
			continue
		}
		for n, like := range s.crowd.on {
			if n.Node == nil || strict && !hasAll(n.Node, all) {
				continue
			}
			value := n.Labels[s.topology]
			if _, counts := s.count[value]; counts && s.counts(c.pod.Pod, n.Node) {
				s.count[value] += like
			}
		}
	}
}

// crowded is how many of the Pod's like there are around a node. Where there are
// many domains, one more in each weighs more.
func (c *Cycle) crowded(n *Node, spread []like) int64 {
	sum := 0.0
	for i := range spread {
		s := &spread[i]
		value, ok := n.Labels[s.topology]
		if !ok {
			continue
		}
		count := s.count[value]
		if s.isOfHosts() {
			count = s.crowd.on[n]
		}
		sum += float64(count)*s.weight + float64(s.skew-1)
	}
	return int64(math.Round(sum))
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
