package daemonset

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	deployment "reconcile/chapters/02-deployment"
)

// constraint is what a Pod says of how evenly its like are to be spread.
type constraint struct {
	topology         string
	skew             int // how many more in one domain than in the emptiest
	domains          int // with fewer of them, the emptiest is taken to have none
	like             labels.Selector
	affinity, taints bool // whether nodes are left out where the Pod cannot be
}

// constraintsOf returns those of a Pod for which it says what is to be done.
func constraintsOf(
	pod *corev1.Pod, action corev1.UnsatisfiableConstraintAction,
) (all []constraint) {
	for i := range pod.Spec.TopologySpreadConstraints {
		says := &pod.Spec.TopologySpreadConstraints[i]
		if says.WhenUnsatisfiable != action {
			continue
		}
		next := constraint{
			topology: says.TopologyKey, skew: int(says.MaxSkew), domains: 1,
			like: withKeys(deployment.SelectorOf(says.LabelSelector), pod,
				says.MatchLabelKeys, selection.In),
			affinity: honours(says.NodeAffinityPolicy, true),
			taints:   honours(says.NodeTaintsPolicy, false),
		}
		if says.MinDomains != nil {
			next.domains = int(*says.MinDomains)
		}
		all = append(all, next)
	}
	return all
}

func honours(policy *corev1.NodeInclusionPolicy, unsaid bool) bool {
	if policy == nil {
		return unsaid
	}
	return *policy == corev1.NodeInclusionPolicyHonor
}

// counts reports whether a node counts when a Pod's like are counted.
func (s *constraint) counts(pod *corev1.Pod, node *corev1.Node) bool {
	return (!s.affinity || wants(&pod.Spec, node)) &&
		(!s.taints || !keepsOut(node, pod))
}

// topologiesOf are the labels of a node that is in a domain of each constraint.
func topologiesOf(all []constraint) []string {
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = all[i].topology
	}
	return keys
}

func hasAll(node *corev1.Node, labels []string) bool {
	for _, key := range labels {
		if _, ok := node.Labels[key]; !ok {
			return false
		}
	}
	return true
}

// spread is how a Pod's like are spread: for each constraint how many there are
// in each domain, and in the emptiest.
type spread struct {
	constraints []constraint
	needs       []string // labels: a node without one does not count
	crowds      []*crowd
	like        []map[string]int
	least       []int // below 0: to be worked out
}

// aboutSpread counts the Pod's like.
func aboutSpread(c *Cycle) (bool, *Refusal) {
	all := constraintsOf(c.pod.Pod, corev1.DoNotSchedule)
	if len(all) == 0 {
		return false, nil
	}
	c.spread = &spread{all, topologiesOf(all), make([]*crowd, len(all)),
		make([]map[string]int, len(all)), make([]int, len(all))}
	for i := range all {
		c.spread.crowds[i] = c.crowd(c.pod.Namespace, all[i].like)
		c.spread.like[i], c.spread.least[i] = map[string]int{}, -1
		sum := c.sum(c.spread.crowds[i], &all[i], c.spread.needs)
		for _, part := range sum.domains {
			c.spread.like[i][part.value] += part.like
		}
	}
	return true, nil
}

// countLike counts a Pod that comes to a node, or leaves it.
func (c *Cycle) countLike(n *Node, d *demand, by int) {
	if !hasAll(n.Node, c.spread.needs) {
		return
	}
	for i := range c.spread.constraints {
		s := &c.spread.constraints[i]
		if c.spread.crowds[i].has(d) && s.counts(c.pod.Pod, n.Node) {
			c.spread.like[i][n.Labels[s.topology]] += by
			c.spread.least[i] = -1
		}
	}
}

// emptiest is how many there are in the emptiest domain.
func (s *spread) emptiest(i int) int {
	if len(s.like[i]) < s.constraints[i].domains {
		return 0
	}
	if s.least[i] < 0 {
		s.least[i] = math.MaxInt32
		for _, count := range s.like[i] {
			s.least[i] = min(s.least[i], count)
		}
	}
	return s.least[i]
}

var (
	nowhere = &Refusal{"PodTopologySpread", []string{"node(s) didn't match pod " +
		"topology spread constraints (missing required label)"}, true}
	uneven = &Refusal{"PodTopologySpread", []string{
		"node(s) didn't match pod topology spread constraints"}, false}
)

// nodeSpread refuses where there are too many of the Pod's like already.
// (Kubernetes: plugins/podtopologyspread/filtering.go.)
//
//	zone a: 3, zone b: 1, maxSkew 2: one more in a is 4-1 = 3, and too many
func nodeSpread(c *Cycle, n *Node) *Refusal {
	if c.spread == nil {
		return nil
	}
	for i := range c.spread.constraints {
		s := &c.spread.constraints[i]
		value, ok := n.Labels[s.topology]
		if !ok {
			return nowhere
		}
		count := c.spread.like[i][value]
		if s.like.Matches(labels.Set(c.pod.Labels)) {
			count++
		}
		if count-c.spread.emptiest(i) > s.skew {
			return uneven
		}
	}
	return nil
}

// shiftsSpread: one of its like has come, or left, or the domains are others.
func shiftsSpread(_ *Nodes, d *demand, e *event) bool {
	like := func(other *demand, s *constraint) bool {
		return other != nil && other.Namespace == d.Namespace &&
			s.like.Matches(labels.Set(other.Labels))
	}
	all := constraintsOf(d.Pod, corev1.DoNotSchedule)
	for i := range all {
		if like(e.left, &all[i]) || like(e.came, &all[i]) {
			return true
		}
	}
	return e.was != nil && e.is == nil || e.isNewNode() ||
		e.isRelabelled() || e.isRetainted()
}
