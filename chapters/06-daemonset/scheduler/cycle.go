package scheduler

import (
	"fmt"
	"slices"
	"strings"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Cycle is one scheduling cycle of a Pod: what its filters and scores need to know
// of all nodes, worked out once and not for each of them. (Kubernetes: the
// PreFilter and PreScore of its plugins.)
type Cycle struct {
	*cache.Nodes
	Pod *cache.PodInfo

	filters []Filter // that have anything to ask
	only    []string // names of the nodes that need be asked; nil: all
	all     *Refusal // of all nodes
	state   []state
}

// state is what a plug-in has worked out.
type state struct {
	of   string
	data any
}

// NewCycle begins a scheduling cycle of a Pod.
func NewCycle(
	all *cache.Nodes, p *cache.PodInfo, filters []Filter,
) *Cycle {
	c := &Cycle{Nodes: all, Pod: p, filters: make([]Filter, 0, len(filters))}
	for _, f := range filters {
		concerned := true
		if f.PreFilter != nil {
			concerned, c.all = f.PreFilter(c)
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

// Write keeps what a plug-in has worked out until the end of the cycle.
func (c *Cycle) Write(plugin string, data any) {
	c.state = append(c.state, state{plugin, data})
}

// Read returns what a plug-in has written; nil: nothing.
func (c *Cycle) Read(plugin string) any {
	for i := range c.state {
		if c.state[i].of == plugin {
			return c.state[i].data
		}
	}
	return nil
}

// Refusal says why a node does not take the Pod; nil: it does.
func (c *Cycle) Refusal(n *cache.Node) *Refusal {
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

// refusal does what Refusal does with the room kept free that was promised to
// other Pods: this one must fit beside them, and without them too, for they may
// go elsewhere. (Kubernetes: RunFilterPluginsWithNominatedPods in
// pkg/scheduler/framework/runtime/framework.go.)
func (c *Cycle) refusal(n *cache.Node) *Refusal {
	if len(c.Nominated) == 0 {
		return c.Refusal(n)
	}
	var came []*cache.PodInfo
	for _, p := range c.Nominated[n.Name] {
		if p.UID != c.Pod.UID && p.Priority >= c.Pod.Priority {
			c.come(n, p)
			came = append(came, p)
		}
	}
	r := c.Refusal(n)
	for _, p := range came {
		c.leave(n, p)
	}
	if r == nil && len(came) > 0 {
		return c.Refusal(n)
	}
	return r
}

// come lets a Pod be on a node, for the time of a question.
func (c *Cycle) come(n *cache.Node, p *cache.PodInfo) {
	n.Add(p)
	c.recount(n, p, 1)
}

// leave lets a Pod be gone from a node, for the time of a question.
func (c *Cycle) leave(n *cache.Node, p *cache.PodInfo) {
	n.Remove(p)
	c.recount(n, p, -1)
}

func (c *Cycle) recount(n *cache.Node, p *cache.PodInfo, by int) {
	for i := range c.filters {
		if recount := c.filters[i].Recount; recount != nil {
			recount(c, n, p, by)
		}
	}
}

// verdict is what was said of one node.
type verdict struct {
	node    *cache.Node
	refusal *Refusal
}

// search is how the nodes that take a Pod were looked for.
type search struct {
	fit     []*cache.Node
	refused []verdict
}

// find asks nodes until enough of them take the Pod, beginning with the
// start-th.
func (c *Cycle) find(start int) (s search) {
	if c.all != nil {
		return s
	}
	if name := c.Pod.Status.NominatedNodeName; name != "" {
		if n := c.Node(name); n != nil && n.Node != nil && c.refusal(n) == nil {
			s.fit = []*cache.Node{n}
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

// candidates returns the nodes that need be asked.
func (c *Cycle) candidates() []*cache.Node {
	if c.only == nil {
		return c.List()
	}
	var nodes []*cache.Node
	for _, name := range c.only {
		if n := c.Node(name); n != nil && n.Node != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// enoughOf returns how many nodes that take the Pod are enough to choose from: all of
// 100, 42 in 100 of 1,000, 10 in 100 of 5,000. (Kubernetes:
// numFeasibleNodesToFind in pkg/scheduler/schedule_one.go;
// percentageOfNodesToScore sets another share.)
func enoughOf(nodes int) int {
	share := max(50-nodes/125, 5)
	return max(nodes*share/100, min(nodes, 100))
}

// others returns what is said of the nodes that were not asked.
func (c *Cycle) others() *Refusal {
	if c.all != nil || c.only == nil {
		return c.all
	}
	return &Refusal{"NodeAffinity", []string{
		"node(s) didn't satisfy plugin(s) [NodeAffinity]"}, true}
}

// refusedBy returns the names of the filters that have refused a node.
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
