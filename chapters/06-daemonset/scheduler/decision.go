package scheduler

import corev1 "k8s.io/api/core/v1"

// Decision is how a Pod's node was chosen, or why there is none.
type Decision struct {
	Pod     *corev1.Pod
	Node    string // "": none
	Message string // then: why
	Said    []Said // of the nodes that were asked: first those that take the Pod
}

// Said is what was said of one node.
type Said struct {
	Node    string
	Refusal *Refusal // nil: it takes the Pod
	Points  []Points // then, unless it was the only one
	Sum     int64
}

// Points are what a score gives a node: 0 to 100, and how much they count.
type Points struct {
	Score          string
	Points, Weight int64
}

// record begins the record of a decision; nil: it is not asked for.
func (s *Scheduler) record(c *Cycle, found search) *Decision {
	if s.OnDecision == nil {
		return nil
	}
	d := &Decision{Pod: c.Pod.Pod}
	for _, n := range found.fit {
		d.Said = append(d.Said, Said{Node: n.Name})
	}
	for _, v := range found.refused {
		d.Said = append(d.Said, Said{Node: v.node.Name, Refusal: v.refusal})
	}
	return d
}

// rated notes the points that a score gave.
func (d *Decision) rated(s *Score, points []int64) {
	if d == nil {
		return
	}
	for i, p := range points {
		said := &d.Said[i]
		said.Points = append(said.Points, Points{s.Name, p, s.Weight})
		said.Sum += p * s.Weight
	}
}

// tell tells how a decision ended.
func (s *Scheduler) tell(d *Decision, node, message string) {
	if d != nil {
		d.Node, d.Message = node, message
		s.OnDecision(*d)
	}
}
