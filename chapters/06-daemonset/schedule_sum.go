package daemonset

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
)

// sum is how many of a crowd there are in each domain: what is kept of it must
// not be added up over all nodes for each Pod. It is right until a node changes.
type sum struct {
	of      string           // what it depends on
	at      []*part          // by place in the list of nodes; nil: it does not count
	domains map[string]*part // by the label's value, of hosts by their name
}

// part is how many there are in one domain.
type part struct {
	value string // of the label
	like  int
}

// maxSums is how many are kept of a crowd: its Pods may differ in where they can
// be.
const maxSums = 8

// sum returns how many of a crowd there are in each domain of a constraint,
// counted on nodes that have all the labels that it needs.
func (c *Cycle) sum(of *crowd, s *constraint, needs []string) *sum {
	key := s.sumKey(&c.pod.Spec, needs)
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
		if hasAll(n.Node, needs) && s.counts(c.pod.Pod, n.Node) {
			sum.at[n.place] = s.partOf(sum.domains, n)
			sum.at[n.place].like += of.on[n]
		}
	}
	return sum
}

// partOf returns the node's domain. As a host, each is one by itself.
func (s *constraint) partOf(domains map[string]*part, n *Node) *part {
	value := n.Labels[s.topology]
	name := value
	if s.isOfHosts() {
		name = n.name
	}
	if domains[name] == nil {
		domains[name] = &part{value: value}
	}
	return domains[name]
}

// sumKey is the same for Pods for which the same nodes count.
func (s *constraint) sumKey(spec *corev1.PodSpec, needs []string) string {
	of := []any{s.topology, needs}
	if s.affinity {
		of = append(of, spec.NodeSelector, requiredNodes(spec))
	}
	if s.taints {
		of = append(of, spec.Tolerations)
	}
	key, _ := json.Marshal(of) // strings and numbers: it does not fail
	return string(key)
}

// resum forgets all sums.
func (all *Nodes) resum() {
	for _, c := range all.crowds {
		c.sums = nil
	}
}
