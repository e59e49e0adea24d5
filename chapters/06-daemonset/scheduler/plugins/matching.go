package plugins

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// matching is how many Pods match a selector on each node: counted once, when
// the first of them is to be spread, and from then on as they come and go. To
// count them anew for each of a thousand replicas would cost a million.
type matching struct {
	namespace, name string // the name is the selector's
	selector        labels.Selector
	on              map[*cache.Node]int // no node has none
	sums            []*sum
}

// matchings are the counts that are kept; the one last asked for is last.
type matchings struct{ all []*matching }

// maxKept is how many counts of one kind are kept.
const maxKept = 64

// matchingOf returns the count of a selector. A Pod that is about to go counts
// no longer, and an empty selector matches none.
func matchingOf(
	nodes *cache.Nodes, namespace string, selector labels.Selector,
) *matching {
	kept := nodes.Book(topologySpread,
		func() cache.Book { return &matchings{} }).(*matchings)
	name := selector.String()
	kept.all = recall(kept.all, func(m *matching) bool {
		return m.name == name && m.namespace == namespace
	}, func() *matching { return gather(nodes, namespace, selector) })
	return kept.all[len(kept.all)-1]
}

// recall returns counts with the one last for which is holds, or a new one. Of
// more than are kept, the one goes that was asked for longest ago.
func recall[T any](all []T, is func(T) bool, count func() T) []T {
	if at := slices.IndexFunc(all, is); at >= 0 {
		one := all[at]
		return append(slices.Delete(all, at, at+1), one)
	}
	if len(all) == maxKept {
		all = slices.Delete(all, 0, 1)
	}
	return append(all, count())
}

func gather(
	nodes *cache.Nodes, namespace string, selector labels.Selector,
) *matching {
	m := &matching{namespace, selector.String(), selector, map[*cache.Node]int{}, nil}
	for n := range nodes.All() {
		for _, p := range n.Pods {
			m.count(n, p, 1)
		}
	}
	return m
}

// Count implements cache.Book.
func (kept *matchings) Count(n *cache.Node, p *cache.PodInfo, by int) {
	for _, m := range kept.all {
		m.count(n, p, by)
	}
}

// Changed implements cache.Book: the sums were right until now.
func (kept *matchings) Changed() {
	for _, m := range kept.all {
		m.sums = nil
	}
}

// count counts a Pod that comes to a node, or leaves it.
func (m *matching) count(n *cache.Node, p *cache.PodInfo, by int) {
	if !m.has(p) {
		return
	}
	if m.on[n] += by; m.on[n] == 0 {
		delete(m.on, n)
	}
	for _, s := range m.sums {
		if n.Node != nil && s.at[n.Place] != nil {
			s.at[n.Place].count += by
		}
	}
}

func (m *matching) has(p *cache.PodInfo) bool {
	return p.Namespace == m.namespace && !p.Leaving &&
		!m.selector.Empty() && m.selector.Matches(labels.Set(p.Labels))
}
