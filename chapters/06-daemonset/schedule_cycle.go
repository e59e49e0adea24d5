package daemonset

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Cycle is a Pod's turn: what its filters and scores need to know of all nodes,
// worked out once and not for each of them. (Kubernetes: the PreFilter and
// PreScore of its plugins.)
type Cycle struct {
	*Nodes
	pod *demand

	filters []Filter // that have anything to ask
	only    []string // names of the nodes that need be asked; nil: all
	all     *Refusal // of all nodes

	spread *spread
	near   *neighbours
}

// Cycle begins a Pod's turn.
func (all *Nodes) Cycle(pod *corev1.Pod) *Cycle {
	return all.cycle(demandOf(pod), Filters())
}

func (all *Nodes) cycle(d *demand, filters []Filter) *Cycle {
	c := &Cycle{Nodes: all, pod: d, filters: make([]Filter, 0, len(filters))}
	for _, f := range filters {
		concerned := true
		if f.begin != nil {
			concerned, c.all = f.begin(c)
		}
		if c.all != nil {
			return c
		}
		if concerned {
			c.filters = append(c.filters, f)
		}
	}
	return c
}

// Pod is whose turn it is.
func (c *Cycle) Pod() *corev1.Pod { return c.pod.Pod }

// Refusal says why a node does not take the Pod; nil: it does.
func (c *Cycle) Refusal(n *Node) *Refusal {
	if c.all != nil {
		return c.all
	}
	for i := range c.filters {
		if r := c.filters[i].Refuse(c, n); r != nil {
			return r
		}
	}
	return nil
}

// refusal is Refusal with the room kept free for those who were promised it:
// the Pod must fit beside them, and without them too, for they may go elsewhere.
// (Kubernetes: RunFilterPluginsWithNominatedPods in
// pkg/scheduler/framework/runtime/framework.go.)
func (c *Cycle) refusal(n *Node) *Refusal {
	if len(c.nominated) == 0 {
		return c.Refusal(n)
	}
	var came []*demand
	for _, d := range c.nominated[n.Name] {
		if d.UID != c.pod.UID && d.priority >= c.pod.priority {
			c.come(n, d)
			came = append(came, d)
		}
	}
	r := c.Refusal(n)
	for _, d := range came {
		c.leave(n, d)
	}
	if r == nil && len(came) > 0 {
		return c.Refusal(n)
	}
	return r
}

// come lets a Pod be on a node, for the time of a question.
func (c *Cycle) come(n *Node, d *demand) {
	n.add(d)
	c.recount(n, d, 1)
}

// leave lets a Pod be gone from a node, for the time of a question.
func (c *Cycle) leave(n *Node, d *demand) {
	n.remove(d)
	c.recount(n, d, -1)
}

func (c *Cycle) recount(n *Node, d *demand, by int) {
	if c.spread != nil {
		c.countLike(n, d, by)
	}
	if c.near != nil {
		c.countNeighbour(n, d, by)
	}
}

// verdict is what was said of one node.
type verdict struct {
	node    *Node
	refusal *Refusal
}

// search is how the nodes that take a Pod were looked for.
type search struct {
	fit     []*Node
	refused []verdict
}

// find asks nodes until enough of them take the Pod, beginning with the start-th.
func (c *Cycle) find(start int) (s search) {
	if c.all != nil {
		return s
	}
	if name := c.pod.Status.NominatedNodeName; name != "" {
		if n := c.byName[name]; n != nil && n.Node != nil && c.refusal(n) == nil {
			s.fit = []*Node{n}
			return s
		}
	}
	nodes := c.candidates()
	enough := enoughOf(len(nodes))
	for i := range nodes {
		n := nodes[(start+i)%len(nodes)]
		if r := c.refusal(n); r != nil {
			s.refused = append(s.refused, verdict{n, r})
		} else if s.fit = append(s.fit, n); len(s.fit) == enough {
			break
		}
	}
	return s
}

// candidates are the nodes that need be asked.
func (c *Cycle) candidates() []*Node {
	if c.only == nil {
		return c.List()
	}
	var nodes []*Node
	for _, name := range c.only {
		if n := c.byName[name]; n != nil && n.Node != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// enoughOf is how many of so many nodes it takes to choose well: all of 100, 42
// in 100 of 1,000, 10 in 100 of 5,000. (Kubernetes: numFeasibleNodesToFind in
// pkg/scheduler/schedule_one.go; percentageOfNodesToScore sets another share.)
func enoughOf(nodes int) int {
	share := max(50-nodes/125, 5)
	return max(nodes*share/100, min(nodes, 100))
}

// others is what is said of the nodes that were not asked.
func (c *Cycle) others() *Refusal {
	if c.all != nil || c.only == nil {
		return c.all
	}
	return &Refusal{"NodeAffinity", []string{
		"node(s) didn't satisfy plugin(s) [NodeAffinity]"}, true}
}

// refusedBy are the names of the filters that have refused a node.
func (c *Cycle) refusedBy(s search) (names []string) {
	add := func(r *Refusal) {
		if r != nil && !slices.Contains(names, r.Filter) {
			names = append(names, r.Filter)
		}
	}
	add(c.others())
	for i := range s.refused {
		add(s.refused[i].refusal)
	}
	return names
}

// explain says why no node takes a Pod. (Kubernetes: FitError.Error in
// pkg/scheduler/framework/types.go.)
func (c *Cycle) explain(s search) string {
	all := len(c.List())
	if c.all != nil {
		return fmt.Sprintf("0/%d nodes are available: %s.",
			all, strings.Join(c.all.Reasons, ", "))
	}
	return sentence(all, s.refused, c.others())
}

// sentence says of how many nodes each reason was given: in the order of the
// letters, so that 10 comes before 2. The nodes of which nothing was said are
// refused as the others are.
func sentence(all int, said []verdict, others *Refusal) string {
	count := map[string]int{}
	for i := range said {
		for _, reason := range said[i].refusal.Reasons {
			count[reason]++
		}
	}
	if others != nil && len(said) < all {
		for _, reason := range others.Reasons {
			count[reason] += all - len(said)
		}
	}
	var reasons []string
	for reason, n := range count {
		reasons = append(reasons, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(reasons)
	message := fmt.Sprintf("0/%d nodes are available:", all)
	if len(reasons) > 0 {
		message += " " + strings.Join(reasons, ", ") + "."
	}
	return message
}
