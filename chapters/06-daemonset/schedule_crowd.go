package daemonset

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// crowd is how many Pods of a kind there are on each node: counted once, when
// the first of a kind is to be spread, and from then on as they come and go. To
// count them for each of a thousand replicas anew would cost a million.
type crowd struct {
	namespace, name string // the name is the selector's
	like            labels.Selector
	on              map[*Node]int // no node has none
	sums            []*sum
}

// maxCrowds is how many are kept; of more, those are forgotten that nobody has
// asked for longest.
const maxCrowds = 64

// crowd returns that of a kind. What is about to go counts no longer, and an
// empty selector is of no kind.
func (all *Nodes) crowd(namespace string, like labels.Selector) *crowd {
	name := like.String()
	at := slices.IndexFunc(all.crowds, func(c *crowd) bool {
		return c.name == name && c.namespace == namespace
	})
	if at < 0 {
		all.crowds = append(all.crowds, all.gather(namespace, like))
		at = len(all.crowds) - 1
	}
	c := all.crowds[at]
	all.crowds = append(slices.Delete(all.crowds, at, at+1), c)
	if len(all.crowds) > maxCrowds {
		all.crowds = slices.Delete(all.crowds, 0, 1)
	}
	return c
}

func (all *Nodes) gather(namespace string, like labels.Selector) *crowd {
	c := &crowd{namespace, like.String(), like, map[*Node]int{}, nil}
	for _, n := range all.byName {
		for _, d := range n.pods {
			c.count(n, d, 1)
		}
	}
	return c
}

// count counts a Pod that comes to a node, or leaves it.
func (c *crowd) count(n *Node, d *demand, by int) {
	if !c.has(d) {
		return
	}
	if c.on[n] += by; c.on[n] == 0 {
		delete(c.on, n)
	}
	for _, s := range c.sums {
		if n.Node != nil && s.at[n.place] != nil {
			s.at[n.place].like += by
		}
	}
}

func (c *crowd) has(d *demand) bool {
	return d.Namespace == c.namespace && !d.leaving &&
		!c.like.Empty() && c.like.Matches(labels.Set(d.Labels))
}
