package plugins

import (
	"strings"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// domain is all nodes that have this value of this label.
type domain struct{ topology, value string }

// domainOf returns the domain of a node that a term is about, if it is in one.
func domainOf(n *cache.Node, t *cache.Term) (domain, bool) {
	if n.Node == nil {
		return domain{}, false
	}
	value, ok := n.Labels[t.TopologyKey]
	return domain{t.TopologyKey, value}, ok
}

// topologyCount counts the Pods in each domain that some terms are about: those
// that all of the terms match, or those that have the only one. (Kubernetes:
// topologyToMatchedTermCount in plugins/interpodaffinity/filtering.go.)
type topologyCount struct {
	name    string // the same for the same terms
	terms   []cache.Term
	domains map[domain]int // none has none
}

func newTopologyCount(name string, terms []cache.Term) *topologyCount {
	return &topologyCount{name, terms, map[domain]int{}}
}

// count counts a Pod that comes to a node, or leaves it.
func (t *topologyCount) count(n *cache.Node, by int) {
	for i := range t.terms {
		at, ok := domainOf(n, &t.terms[i])
		if !ok {
			continue
		}
		if t.domains[at] += by; t.domains[at] == 0 {
			delete(t.domains, at)
		}
	}
}

// neighbours are the counts that are kept: of Pods that match the terms of others,
// and of Pods that have terms.
type neighbours struct {
	all   *cache.Nodes
	meant []*topologyCount          // the one last asked for is last
	said  map[saying]*topologyCount // nil: to be counted
}

// saying is a term, and what it weighs in scores; 0: it forbids.
type saying struct {
	term   string
	weight int64
}

func neighboursOf(all *cache.Nodes) *neighbours {
	return all.Book(podAffinity,
		func() cache.Book { return &neighbours{all: all} }).(*neighbours)
}

// Count implements cache.Book.
func (k *neighbours) Count(n *cache.Node, p *cache.PodInfo, by int) {
	for _, t := range k.meant {
		if matchAll(t.terms, p.Pod, k.all) {
			t.count(n, by)
		}
	}
	if k.said != nil {
		k.hear(n, p, by)
	}
}

// Changed implements cache.Book: the domains are others.
func (k *neighbours) Changed() { k.meant, k.said = nil, nil }

// match returns the count of the Pods that all of the terms match. It is kept,
// unless it depends on the labels of namespaces, of which a book is not told.
func (k *neighbours) match(terms []cache.Term) *topologyCount {
	var names []string
	fixed := true
	for i := range terms {
		names = append(names, terms[i].Name)
		fixed = fixed && !terms[i].AsksNamespaces()
	}
	name := strings.Join(names, "\n\n")
	count := func() *topologyCount { return k.gather(name, terms) }
	if !fixed {
		return count()
	}
	k.meant = recall(k.meant, func(t *topologyCount) bool { return t.name == name }, count)
	return k.meant[len(k.meant)-1]
}

func (k *neighbours) gather(name string, terms []cache.Term) *topologyCount {
	t := newTopologyCount(name, terms)
	for _, n := range k.all.List() {
		for _, p := range n.Pods {
			if matchAll(terms, p.Pod, k.all) {
				t.count(n, 1)
			}
		}
	}
	return t
}

// listen returns the counts of the Pods that have terms about others.
func (k *neighbours) listen() map[saying]*topologyCount {
	if k.said == nil {
		k.said = map[saying]*topologyCount{}
		for _, n := range k.all.List() {
			for _, p := range n.Pods {
				k.hear(n, p, 1)
			}
		}
	}
	return k.said
}

// hear counts what a Pod says that comes to a node, or leaves it.
func (k *neighbours) hear(n *cache.Node, p *cache.PodInfo, by int) {
	count := func(terms []cache.Term, sign int64) {
		for i := range terms {
			of := saying{terms[i].Name, sign * max(terms[i].Weight, hardWeight)}
			if k.said[of] == nil {
				k.said[of] = newTopologyCount(of.term, terms[i:i+1])
			}
			if k.said[of].count(n, by); len(k.said[of].domains) == 0 {
				delete(k.said, of)
			}
		}
	}
	count(p.Terms.RequiredAntiAffinity, 0)
	count(p.Terms.RequiredAffinity, 1)
	count(p.Terms.PreferredAffinity, 1)
	count(p.Terms.PreferredAntiAffinity, -1)
}

// topologyCounts are some that are kept, and how they differ while a question is
// asked.
type topologyCounts struct {
	kept  []*topologyCount
	moved map[domain]int
}

func (all *topologyCounts) move(at domain, by int) {
	if all.moved == nil {
		all.moved = map[domain]int{}
	}
	all.moved[at] += by
}

// in returns how many Pods there are in a domain.
func (all *topologyCounts) in(at domain) int {
	n := all.moved[at]
	for _, t := range all.kept {
		n += t.domains[at]
	}
	return n
}

// isEmpty reports whether there are Pods in no domain.
func (all *topologyCounts) isEmpty() bool {
	for _, t := range all.kept {
		for at := range t.domains {
			if all.in(at) > 0 {
				return false
			}
		}
	}
	for at := range all.moved {
		if all.in(at) > 0 {
			return false
		}
	}
	return true
}
