package plugins

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// sum is how many matching Pods there are in each domain: what is kept need not
// be added up over all nodes for each Pod. It is right until a node changes.
type sum struct {
	of      string           // what it depends on
	at      []*part          // by place in the list of nodes; nil: it does not count
	domains map[string]*part // by the label's value, of hosts by their name
}

// part is how many matching Pods there are in one domain.
type part struct {
	value string // of the label
	count int
}

// maxSums is how many are kept of a selector: its Pods may differ in where they
// can be.
const maxSums = 8

// sumOf returns how many matching Pods there are in each domain of a
// constraint, counted on nodes that have all the labels that it needs.
func sumOf(
	c *scheduler.Cycle, of *matching, s *constraint, needs []string,
) *sum {
	key := s.sumKey(&c.Pod.Spec, needs)
	for _, sum := range of.sums {
		if sum.of == key {
			return sum
		}
	}
	if len(of.sums) == maxSums {
		of.sums = of.sums[1:]
	}
	sum := &sum{key, make([]*part, len(c.List())), map[string]*part{}}
	of.sums = append(of.sums, sum)
	for _, n := range c.List() {
		if hasAll(n.Node, needs) && s.counts(c.Pod.Pod, n.Node) {
			sum.at[n.Place] = s.partOf(sum.domains, n)
			sum.at[n.Place].count += of.on[n]
		}
	}
	return sum
}

// partOf returns the node's domain. As a host, each is one by itself.
func (s *constraint) partOf(domains map[string]*part, n *cache.Node) *part {
	value := n.Labels[s.topology]
	name := value
	if s.isOfHosts() {
		name = n.Name
	}
	if domains[name] == nil {
		domains[name] = &part{value: value}
	}
	return domains[name]
}

// isOfHosts reports whether each node is a domain.
func (s *constraint) isOfHosts() bool { return s.topology == corev1.LabelHostname }

// sumKey returns the same for Pods for which the same nodes count.
func (s *constraint) sumKey(spec *corev1.PodSpec, needs []string) string {
	of := []any{s.topology, needs}
	if s.affinity {
		of = append(of, spec.NodeSelector, daemonset.RequiredNodes(spec))
	}
	if s.taints {
		of = append(of, spec.Tolerations)
	}
	key, _ := json.Marshal(of) // strings and numbers: it does not fail
	return string(key)
}
