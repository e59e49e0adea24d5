package plugins

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	deployment "reconcile/chapters/02-deployment"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

const topologySpread = "PodTopologySpread"

// constraint is what a Pod says of how evenly the Pods like it are to be
// spread.
type constraint struct {
	topology         string
	maxSkew          int // how many more in one domain than in the emptiest
	minDomains       int // with fewer of them, the emptiest is taken to have none
	selector         labels.Selector
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
			topology: says.TopologyKey, maxSkew: int(says.MaxSkew), minDomains: 1,
			selector: cache.WithKeys(deployment.SelectorOf(says.LabelSelector), pod,
				says.MatchLabelKeys, selection.In),
			affinity: honours(says.NodeAffinityPolicy, true),
			taints:   honours(says.NodeTaintsPolicy, false),
		}
		if says.MinDomains != nil {
			next.minDomains = int(*says.MinDomains)
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

// counts reports whether a node counts when matching Pods are counted.
func (s *constraint) counts(pod *corev1.Pod, node *corev1.Node) bool {
	return (!s.affinity || daemonset.Wants(&pod.Spec, node)) &&
		(!s.taints || !scheduler.KeepsOut(node, pod))
}

// topologiesOf returns the labels of a node that is in a domain of each
// constraint.
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

// domainCounts are how many matching Pods there are in each domain of each
// constraint, and in the emptiest.
type domainCounts struct {
	constraints []constraint
	needs       []string // labels: a node without one does not count
	matching    []*matching
	counts      []map[string]int
	least       []int // below 0: to be worked out
}

// countDomains counts the matching Pods of each constraint.
func countDomains(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	all := constraintsOf(c.Pod.Pod, corev1.DoNotSchedule)
	if len(all) == 0 {
		return false, nil
	}
	d := &domainCounts{all, topologiesOf(all), make([]*matching, len(all)),
		make([]map[string]int, len(all)), make([]int, len(all))}
	for i := range all {
		d.matching[i] = matchingOf(c.Nodes, c.Pod.Namespace, all[i].selector)
		d.counts[i], d.least[i] = map[string]int{}, -1
		sum := sumOf(c, d.matching[i], &all[i], d.needs)
		for _, part := range sum.domains {
			d.counts[i][part.value] += part.count
		}
	}
	c.Write(topologySpread, d)
	return true, nil
}

// recountDomains counts a Pod that comes to a node, or leaves it.
func recountDomains(
	c *scheduler.Cycle, n *cache.Node, p *cache.PodInfo, by int,
) {
	d := c.Read(topologySpread).(*domainCounts)
	if !hasAll(n.Node, d.needs) {
		return
	}
	for i := range d.constraints {
		s := &d.constraints[i]
		if d.matching[i].has(p) && s.counts(c.Pod.Pod, n.Node) {
			d.counts[i][n.Labels[s.topology]] += by
			d.least[i] = -1
		}
	}
}

// emptiest returns how many there are in the emptiest domain.
func (d *domainCounts) emptiest(i int) int {
	if len(d.counts[i]) < d.constraints[i].minDomains {
		return 0
	}
	if d.least[i] < 0 {
		d.least[i] = math.MaxInt32
		for _, count := range d.counts[i] {
			d.least[i] = min(d.least[i], count)
		}
	}
	return d.least[i]
}

var (
	missingLabel = &scheduler.Refusal{
		Filter: topologySpread, Final: true,
		Reasons: []string{"node(s) didn't match pod " +
			"topology spread constraints (missing required label)"},
	}
	uneven = &scheduler.Refusal{Filter: topologySpread, Reasons: []string{
		"node(s) didn't match pod topology spread constraints"}}
)

// nodeSpread refuses where there are too many matching Pods already.
// (Kubernetes: plugins/podtopologyspread/filtering.go.)
//
//	zone a: 3, zone b: 1, maxSkew 2: one more in a is 4-1 = 3, and too many
func nodeSpread(c *scheduler.Cycle, n *cache.Node) *scheduler.Refusal {
	d := c.Read(topologySpread).(*domainCounts)
	for i := range d.constraints {
		s := &d.constraints[i]
		value, ok := n.Labels[s.topology]
		if !ok {
			return missingLabel
		}
		count := d.counts[i][value]
		if s.selector.Matches(labels.Set(c.Pod.Labels)) {
			count++
		}
		if count-d.emptiest(i) > s.maxSkew {
			return uneven
		}
	}
	return nil
}

// shiftsSpread reports whether a matching Pod has come, or left, or the domains
// are others.
func shiftsSpread(_ *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	matches := func(other *cache.PodInfo, s *constraint) bool {
		return other != nil && other.Namespace == p.Namespace &&
			s.selector.Matches(labels.Set(other.Labels))
	}
	all := constraintsOf(p.Pod, corev1.DoNotSchedule)
	for i := range all {
		if matches(e.Left, &all[i]) || matches(e.Came, &all[i]) {
			return true
		}
	}
	return e.Was != nil && e.Is == nil || e.IsNewNode() ||
		e.IsRelabelled() || e.IsRetainted()
}
